"""`python -m playdock_client`."""

from playdock_client.main import run

if __name__ == "__main__":
    run()
