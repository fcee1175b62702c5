// A certified OpenID provider for tests, on loopback.
//
//     node server.mjs PORT          (0: any free port)
//
// It is told what to do in lines of JSON on standard input, and answers each with a line of JSON on standard output;
// the first line comes by itself: {"issuer": …}. It ends with its standard input, so it outlives nobody.
//
//     {"client": {…}, "accounts": {"sub": {claims}}, "claimsInIdToken": true, "rotate": true}
//
// Every part may be left out and then stays as it was. `client` is the metadata of the one client there is.
// People sign in with the provider's own form: any password does for a `login` that is the sub of an account.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import Provider from 'oidc-provider';

// Standard output is for answers alone; the provider tells there what one should change before others use it.
console.info = console.warn;

const state = { client: undefined, accounts: {}, claimsInIdToken: false, keys: newKeys() };

function newKeys() {
  const pairs = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
  ];
  return pairs.map(({ privateKey }) => privateKey.export({ format: 'jwk' }));
}

function account(sub) {
  const claims = state.accounts[sub];
  return claims && { accountId: sub, claims: () => ({ sub, ...claims }) };
}

// What a provider is cannot be changed while it runs, so that each change makes a new one. They share their memory:
// who is signed in stays so, and a code given out before can be redeemed afterwards.
function newProvider(issuer) {
  return new Provider(issuer, {
    clients: state.client ? [state.client] : [],
    jwks: { keys: state.keys },
    cookies: { keys: ['a key for tests'] },
    conformIdTokenClaims: !state.claimsInIdToken,
    findAccount: (_, sub) => account(sub),
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email', 'email_verified'],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    ttl: { AccessToken: 600, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
  });
}

function obey(wish) {
  for (const name of ['client', 'accounts', 'claimsInIdToken']) {
    if (name in wish) state[name] = wish[name];
  }
  if (wish.rotate) state.keys = newKeys();
}

function say() {
  process.stdout.write(`${JSON.stringify({ issuer })}\n`);
}

const server = createServer((request, response) => answer(request, response));
server.listen(Number(process.argv[2]), '127.0.0.1');
await once(server, 'listening');

const issuer = `http://localhost:${server.address().port}`;
let answer = newProvider(issuer).callback();
say();

for await (const line of createInterface({ input: process.stdin })) {
  obey(JSON.parse(line));
  answer = newProvider(issuer).callback();
  say();
}
process.exit();
