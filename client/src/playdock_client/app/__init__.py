"""The app: a graphical client in a browser window.

An *agent* on this machine serves the server's own pages at ``http://127.0.0.1:<port>``. It answers requests below
``/_client/v1`` itself and passes all others on to the server, with this device's token. So there is one user interface
for browsers and for the app, and the pages need no access to anything but their own origin.

A *window* shows the pages: any Chromium browser, else pywebview, else the default browser. Each server has a port of
its own, so that pages of one server cannot reach another one.
"""
