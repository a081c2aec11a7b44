"""Peer (c): nginx with one worker and keep-alive connections to the upstream, without any check."""

from pathlib import Path

_CONFIG = """\
worker_processes 1;
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
    scgi_temp_path scgi; keepalive_requests 1000000; upstream stub {{ server 127.0.0.1:{upstream_port};
    keepalive 32; keepalive_requests 1000000; }} server {{ listen 127.0.0.1:{port}; location /api/sl/ {{
    proxy_pass http://stub/b1s/v1/; proxy_http_version 1.1; proxy_set_header Connection "";
    proxy_set_header Cookie "B1SESSION=bench"; }} }} }}
"""


def command(folder: Path, *, port: int, upstream_port: int) -> list[str]:
    """Write nginx's configuration into `folder` and return the command that runs it in the foreground."""
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(port=port, upstream_port=upstream_port), encoding="utf-8")
    directives = "daemon off; pid nginx.pid;"
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(config), "-g", directives]
