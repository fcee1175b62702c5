"""The baseline of serving: nginx with one process that sends files with sendfile."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import Running, free_port, running

_PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin")
_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/errors.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile on;
  keepalive_requests 100000000;
  default_type application/octet-stream;
  client_body_temp_path {folder};
  proxy_temp_path {folder};
  fastcgi_temp_path {folder};
  uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    root {root};
    {options}
  }}
}}
"""


def nginx_is_there() -> bool:
    return _PROGRAM is not None


@contextmanager
def nginx(folder: Path, *, root: Path, options: str = "") -> Iterator[Running]:
    """Serve the files below a folder, with further options; nginx writes its own files to ``folder``."""
    assert _PROGRAM is not None
    folder.mkdir()
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, root=root, options=options))
    with running([_PROGRAM, "-c", str(configuration)], port=port, path="/", environment={}) as server:
        yield server
