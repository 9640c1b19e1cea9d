#!/usr/bin/env bash
# Python 3.11.2 (Debian 12); 3.11.7 does the same.
#
# Ctrl-C while the main thread is in Thread.join(timeout) raises KeyboardInterrupt there, as it should. But join then takes the
# lock that the running thread holds for its own, releases it, and marks the thread as ended: is_alive() is false from then
# on, join() returns at once, and the interpreter does not wait for the thread when it ends. Code that ends its threads' work
# in a handler, and goes by is_alive or join, believes that there is nothing left to end. A threading.Event that each thread
# sets tells the truth.
#
# Seen on 2026-11-29:
#   before: alive True
#   after Ctrl-C in join: alive False, and it still counts: True
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in python3.11-minimal libpython3.11-minimal libpython3.11-stdlib; do
  apt-get -o APT::Sandbox::User=root download -qq "$package=3.11.2-6+deb12u9"
done
for package in *.deb; do dpkg -x "$package" here; done
cat > joined.py <<'P'
import itertools, os, signal, threading, time
count = 0
def work():
    global count
    for count in itertools.count():
        time.sleep(0.01)
thread = threading.Thread(target=work, daemon=True)
thread.start()
print("before: alive", thread.is_alive())
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    thread.join(10)
except KeyboardInterrupt:
    then = count
    while count == then:
        time.sleep(0.01)
    print(f"after Ctrl-C in join: alive {thread.is_alive()}, and it still counts: {count > then}")
P
PYTHONHOME=$folder/here/usr here/usr/bin/python3.11 joined.py | tee said
grep -q 'alive False, and it still counts: True' said
