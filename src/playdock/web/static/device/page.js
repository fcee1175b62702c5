// The page on which somebody lets a device in. It calls the interface that is open to everybody, and nothing else.

const at = (id) => document.getElementById(id);
const REQUEST = "/api/v1/user/client/request";
const state = { code: new URLSearchParams(location.search).get("user_code") ?? "", busy: false };

class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.type = problem.type;
  }
}

async function call(method, path, body) {
  const headers = body ? { "Content-Type": "application/json" } : {};
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  throw new Refused(await answer.json());
}

function asShown(code) {
  const letters = code.toUpperCase().replace(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function show(id, focused) {
  for (const section of document.querySelectorAll("section")) section.hidden = section.id !== id;
  (focused ?? at(id).querySelector("h1")).focus();
}

function tell(error) {
  at("fault").textContent = error instanceof Refused ? error.message : "The service does not answer. Try again.";
}

// Does one thing at a time: what is pressed meanwhile does nothing.
async function attempt(action) {
  if (state.busy) return;
  state.busy = true;
  at("fault").textContent = "";
  try {
    await action();
  } catch (error) {
    tell(error);
    if (error.type === "sign-in-needed") await askWho();
    if (error.type === "device-request-unknown") askCode();
  } finally {
    state.busy = false;
  }
}

async function begin() {
  const user = await call("GET", "/api/v1/user");
  at("who").hidden = !user;
  if (!user) return askWho();
  at("name").textContent = user.displayName;
  return state.code ? showDevice() : askCode();
}

async function askWho() {
  const ways = await call("GET", "/api/v1/auth");
  const back = state.code ? `/device?user_code=${encodeURIComponent(state.code)}` : "/device";
  at("who").hidden = true;
  at("openid").href = `/auth/oidc?redirect=${encodeURIComponent(back)}`;
  at("openid").hidden = !ways.includes("OpenID");
  at("sign-in-form").hidden = !ways.includes("Simple");
  show("sign-in", at(ways.includes("Simple") ? "username" : "openid"));
}

function askCode() {
  at("code").value = state.code;
  show("ask-code", at("code"));
}

async function showDevice() {
  const device = await call("GET", `${REQUEST}?userCode=${encodeURIComponent(state.code)}`);
  at("device").textContent = device.platform ? `${device.name}, ${device.platform}` : device.name;
  at("shown-code").textContent = asShown(state.code);
  show("decision");
}

async function decide(approve) {
  await call("POST", REQUEST, { userCode: state.code, approve });
  at("outcome").textContent = approve ? "Your device is signed in" : "The device was refused";
  at("next").textContent = approve
    ? "Go on there; it notices within seconds. This page can be closed."
    : "It cannot use your account. This page can be closed.";
  at("who").hidden = true;
  show("done");
}

async function signIn() {
  const draft = { username: at("username").value, password: at("password").value };
  at("password").value = "";
  await call("POST", "/api/v1/auth/signin/simple", draft);
  await begin();
}

async function leave() {
  await call("POST", "/api/v1/auth/signout");
  await askWho();
}

function onSubmit(id, action) {
  at(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(action);
  });
}

onSubmit("sign-in-form", signIn);
onSubmit("code-form", () => {
  state.code = at("code").value.trim();
  return showDevice();
});
at("allow").addEventListener("click", () => attempt(() => decide(true)));
at("refuse").addEventListener("click", () => attempt(() => decide(false)));
at("leave").addEventListener("click", () => attempt(leave));
attempt(begin);
