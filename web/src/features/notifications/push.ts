import { withBase } from "@/api/basePath";

/** Where a browser receives messages, as the service stores it. */
export interface BrowserAddress {
  endpoint: string;
  publicKey: string;
  authSecret: string;
}

/** Whether this browser can receive messages while the page is closed. That needs https. */
export function isPushSupported(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/** Return bytes as base64url without padding. */
export function toBase64Url(bytes: ArrayBuffer | null): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Ask the user, and subscribe this browser at its push service. The result is null if the user does not allow it. */
export async function subscribe(serverKey: string): Promise<BrowserAddress | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  await navigator.serviceWorker.register(withBase("/service-worker.js"), { scope: withBase("/") });
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of another server key, such as before the server was set up again, cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey });
  return {
    endpoint: made.endpoint,
    publicKey: toBase64Url(made.getKey("p256dh")),
    authSecret: toBase64Url(made.getKey("auth")),
  };
}

/** Let this browser forget its subscription. */
export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(withBase("/"));
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
