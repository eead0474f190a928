# Resolves a name, which carries data out by itself.
import socket

attempt("getaddrinfo", lambda: socket.getaddrinfo("leak.example.org", 80))
attempt("gethostbyname", lambda: socket.gethostbyname("leak.example.org"))
