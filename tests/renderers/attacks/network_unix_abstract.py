# Connects to a unix socket that has no path, which no folder rule covers.
import socket

def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0cfcanary")
        return client.recv(16)

attempt("abstract", connect)
