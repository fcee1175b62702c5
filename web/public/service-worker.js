// Shows notifications although no page is open, and opens the page about one: see src/features/notifications/push.ts.
// What it receives is written in src/playdock/features/delivery/push.py.
self.addEventListener("push", (event) => {
  const { title, body, link, tag } = event.data.json();
  const icon = new URL("icon.svg", self.registration.scope).href;
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon, data: { link } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  // Only a page of the service: the link is a path below the one of the service.
  const page = new URL(event.notification.data.link.replace(/^\/+/, ""), self.registration.scope).href;
  event.waitUntil(open(page));
});

async function open(page) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const same = windows.find((each) => each.url === page);
  return same ? same.focus() : self.clients.openWindow(page);
}
