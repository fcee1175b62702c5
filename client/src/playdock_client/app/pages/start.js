// The app's first page: select a server and sign in. Served by the app itself, without any server.

const TEXTS = {
  en: {
    connect: "Connect to a server",
    connectHint: "Enter the address from your invitation, or ask the person who runs the server.",
    address: "Server address",
    allowHttp: "I trust this network: connect although others on it could read the traffic",
    next: "Continue",
    confirm: "Confirm in your browser",
    confirmHint: "Your browser has opened a page of the server. Sign in there and check that it shows this code:",
    waiting: "Waiting for your confirmation …",
    back: "Use another server",
    suggested: "Connect to {server}",
    known: "Open {server}",
    nearby: "Found on your network:",
    lost: "The app is no longer running. Open it again.",
  },
  de: {
    connect: "Mit einem Server verbinden",
    connectHint: "Gib die Adresse aus deiner Einladung ein, oder frag die Person, die den Server betreibt.",
    address: "Adresse des Servers",
    allowHttp: "Ich vertraue diesem Netzwerk: trotzdem verbinden, obwohl andere darin mitlesen könnten",
    next: "Weiter",
    confirm: "Im Browser bestätigen",
    confirmHint: "Dein Browser hat eine Seite des Servers geöffnet. Melde dich dort an und vergleiche diesen Code:",
    waiting: "Warten auf deine Bestätigung …",
    back: "Anderen Server verwenden",
    suggested: "Mit {server} verbinden",
    known: "{server} öffnen",
    nearby: "In deinem Netzwerk gefunden:",
    lost: "Die App läuft nicht mehr. Öffne sie erneut.",
  },
};
const POLL_MS = 1000;

const language = navigator.language.startsWith("de") ? "de" : "en";
const texts = TEXTS[language];
const byId = (id) => document.getElementById(id);
document.documentElement.lang = language;
for (const element of document.querySelectorAll("[data-text]")) element.textContent = texts[element.dataset.text];

async function call(method, path, body) {
  let response;
  try {
    response = await fetch(`/_client/v1/${path}`, {
      method,
      headers: body ? { "Content-Type": "application/json", "Playdock-Client": "1" } : {},
      body: body && JSON.stringify(body),
    });
  } catch {
    throw { detail: texts.lost };
  }
  const answer = await response.json();
  if (!response.ok) throw answer;
  return answer;
}

function showProblem(problem) {
  const needsConsent = problem?.type === "unencrypted";
  byId("unencrypted").hidden &&= !needsConsent;
  byId("problem").hidden = !problem;
  byId("problem").textContent = problem?.detail ?? "";
  byId("address").setAttribute("aria-invalid", problem ? "true" : "false");
}

function showConnect() {
  byId("submit").disabled = false;
  byId("connect").hidden = false;
  byId("confirm").hidden = true;
}

function showConfirmation(signIn) {
  byId("connect").hidden = true;
  byId("confirm").hidden = false;
  byId("code").textContent = signIn.code;
  const page = byId("page");
  page.href = signIn.url;
  page.textContent = signIn.url;
  byId("back").focus();
}

let followed = 0;

/** Wait for a sign-in, until another one is started or somebody goes back. Its link can be opened only once. */
async function follow() {
  const own = (followed += 1);
  for (;;) {
    const signIn = await call("GET", "sign-in");
    if (own !== followed || byId("confirm").hidden) return;
    if (signIn?.state === "done") return location.assign(signIn.link);
    if (signIn?.state !== "waiting") {
      showConnect();
      return showProblem(signIn?.problem);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function signIn(address) {
  const started = await call("POST", "sign-in", { address, allowHttp: byId("allow").checked });
  showProblem(null);
  showConfirmation(started);
  await follow();
}

function connectTo(address) {
  byId("address").value = address;
  // Consent to an unencrypted connection is for one server.
  byId("allow").checked = false;
  return signIn(address);
}

function serverButton(list, content, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...content);
  button.addEventListener("click", () => action().catch(showProblem));
  const item = document.createElement("li");
  item.append(button);
  byId(list).append(item);
}

async function showNearby(shown) {
  const found = await call("GET", "nearby");
  for (const { address, name } of found.filter((server) => !shown.includes(server.address))) {
    const small = document.createElement("small");
    small.textContent = address;
    byId("found").textContent = texts.nearby;
    serverButton("nearby", [name, " ", small], () => connectTo(address));
  }
}

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("submit").disabled = true;
  await signIn(byId("address").value).catch(showProblem);
  byId("submit").disabled = false;
});
byId("back").addEventListener("click", () => {
  showConnect();
  byId("address").focus();
});

// As long as this page is shown, the app runs. A link that is opened elsewhere is shown here.
new EventSource("/_client/v1/events").addEventListener("open", (event) => {
  if (event instanceof MessageEvent) location.assign(JSON.parse(event.data));
});

const { known, suggested } = await call("GET", "servers");
for (const server of suggested) {
  serverButton("known", [texts.suggested.replace("{server}", server)], () => connectTo(server));
}
for (const server of known) {
  serverButton("known", [texts.known.replace("{server}", server)], async () =>
    location.assign((await call("POST", "open", { server })).link),
  );
}
byId("address").value = new URLSearchParams(location.search).get("server") ?? "";
byId("address").focus();
showNearby([...known, ...suggested]).catch(() => {});
