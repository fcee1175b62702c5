// Runs before anything is painted, so that neither a chosen scheme nor big mode flashes: see src/layout/scheme.ts and
// src/features/client/big.ts.
(function () {
  // Without a storage, as in private windows of WebKit, what it would keep lasts as long as the page.
  ["localStorage", "sessionStorage"].forEach(function (name) {
    try {
      if (window[name]) return;
    } catch {
      // The browser blocks it.
    }
    var items = Object.create({
      getItem: function (key) {
        return Object.hasOwn(this, key) ? this[key] : null;
      },
      setItem: function (key, value) {
        this[key] = String(value);
      },
      removeItem: function (key) {
        delete this[key];
      },
      clear: function () {
        Object.keys(this).forEach(this.removeItem, this);
      },
    });
    Object.defineProperty(window, name, { value: items });
  });
  var mark = document.querySelector('meta[name="playdock-client"]');
  // Browsers of televisions: webOS, Tizen, Android TV, Fire TV, and what follows the convention of HbbTV.
  var isTelevision = /Web0S|webOS.TV|Tizen.*TV|SMART-?TV|GoogleTV|Android TV|BRAVIA|\bAFT[A-Z]|HbbTV/i.test(
    navigator.userAgent,
  );
  var first = mark ? mark.content : isTelevision ? "big" : "";
  if (first && !sessionStorage.getItem("mode")) sessionStorage.setItem("mode", first);
  if (sessionStorage.getItem("mode") === "big") document.documentElement.dataset.big = "";
  var scheme = localStorage.getItem("scheme");
  if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
})();
