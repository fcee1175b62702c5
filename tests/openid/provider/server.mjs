// A certified OpenID provider for tests, on loopback.
//
//     node server.mjs PORT          (0: any free port)
//
// It reads commands as lines of JSON from standard input and responds to each with a line of JSON on standard output.
// The first line, {"issuer": …}, is written at the start. It exits at the end of standard input, so it never outlives
// its parent process.
//
//     {"client": {…}, "accounts": {"sub": {claims}}, "claimsInIdToken": true, "rotate": true}
//
// Every part is optional; parts that are left out are unchanged. `client` is the metadata of the only client.
// Users sign in with the provider's own form. The `login` is the sub of an account; any password is accepted.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import Provider from 'oidc-provider';

// Standard output is reserved for responses; the provider logs advice for production there.
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

// The configuration of a provider is fixed, so each change creates a new one. All of them share their state: sessions
// and codes remain valid.
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

function apply(command) {
  for (const name of ['client', 'accounts', 'claimsInIdToken']) {
    if (name in command) state[name] = command[name];
  }
  if (command.rotate) state.keys = newKeys();
}

function respond() {
  process.stdout.write(`${JSON.stringify({ issuer })}\n`);
}

const server = createServer((request, response) => answer(request, response));
server.listen(Number(process.argv[2]), '127.0.0.1');
await once(server, 'listening');

const issuer = `http://localhost:${server.address().port}`;
let answer = newProvider(issuer).callback();
respond();

for await (const line of createInterface({ input: process.stdin })) {
  apply(JSON.parse(line));
  answer = newProvider(issuer).callback();
  respond();
}
process.exit();
