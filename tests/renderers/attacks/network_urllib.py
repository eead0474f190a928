# Fetches a page.
import urllib.request

attempt("http", lambda: urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=1).read(4))
attempt("file", lambda: urllib.request.urlopen("file://" + BAIT).read(4))
