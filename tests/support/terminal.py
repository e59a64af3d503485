"""Runs a program on a real terminal of the system, types into it, and tells what the screen shows.

One JSON object as the only argument: {"words": [...], "env": {...}, "cwd": "...", "rows": 24, "columns": 80,
"steps": [{"type": "...", "signal": 15, "resize": [rows, columns], "spoil": "database",
            "until": "regular expression"}, ...]}.
A step waits until the screen matches "until". Prints {"screens": [...], "status": n, "settingsKept": true,
"isAlternate": false, "isCursorShown": true, "failed": null or the step that waited in vain}.
"""

import codecs, fcntl, json, os, pty, re, select, signal, sqlite3, struct, sys, termios, time

WAIT_S = 20
ESCAPE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|\x1b[=>]")


class Screen:
    """What a terminal would show of the bytes: cursor moves, erasing and the alternate screen."""

    def __init__(self, rows, columns):
        self.alternate, self.shown, self.kept = False, True, None
        self.x = self.y = 0
        self.cells = []
        self.resize(rows, columns)
        self.rest = ""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [(row + [" "] * columns)[:columns] for row in self.cells[:rows]]
        self.cells += [[" "] * columns for _ in range(rows - len(self.cells))]
        self.x, self.y = min(self.x, columns - 1), min(self.y, rows - 1)

    def feed(self, text):
        text, at = self.rest + text, 0
        while at < len(text):
            if text[at] == "\x1b":
                found = ESCAPE.match(text, at)
                if found is None:
                    break
                if found[3]:
                    self.control(found[1], found[2], found[3])
                at = found.end()
                continue
            self.put(text[at])
            at += 1
        self.rest = text[at:]

    def put(self, letter):
        if letter == "\r":
            self.x = 0
        elif letter == "\n":
            if self.y == self.rows - 1:
                self.cells = self.cells[1:] + [[" "] * self.columns]
            else:
                self.y += 1
        elif letter == "\b":
            self.x = max(0, self.x - 1)
        elif letter >= " ":
            if self.x == self.columns:
                self.put("\r")
                self.put("\n")
            self.cells[self.y][self.x] = letter
            self.x += 1

    def control(self, private, numbers, kind):
        given = [int(one) for one in numbers.split(";") if one]
        n = given[0] if given else 0
        if private:
            if 25 in given:
                self.shown = kind == "h"
            if 1049 in given and self.alternate != (kind == "h"):
                self.alternate = kind == "h"
                if self.alternate:
                    self.kept = (self.cells, self.x, self.y)
                    self.cells = []
                else:
                    self.cells, self.x, self.y = self.kept
                self.resize(self.rows, self.columns)
            return
        line = self.cells[self.y]
        if kind == "A":
            self.y = max(0, self.y - max(1, n))
        elif kind == "B":
            self.y = min(self.rows - 1, self.y + max(1, n))
        elif kind == "C":
            self.x = min(self.columns - 1, self.x + max(1, n))
        elif kind == "D":
            self.x = max(0, self.x - max(1, n))
        elif kind == "G":
            self.x = max(1, n) - 1
        elif kind in "Hf":
            self.y, self.x = max(1, n) - 1, (given[1] if len(given) > 1 else 1) - 1
        elif kind == "K":
            first, last = (self.x, self.columns) if n == 0 else (0, self.x + 1 if n == 1 else self.columns)
            line[first:last] = [" "] * (last - first)
        elif kind == "J":
            for y in range(self.rows):
                if n == 2 or y > self.y:
                    self.cells[y] = [" "] * self.columns
            if n == 0:
                line[self.x:] = [" "] * (self.columns - self.x)

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells).rstrip()


def main():
    asked = json.loads(sys.argv[1])
    screen = Screen(asked["rows"], asked["columns"])
    screen.feed("before\r\n")
    master, slave = pty.openpty()

    def size(rows, columns):
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    size(asked["rows"], asked["columns"])
    settings = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for stream in range(3):
            os.dup2(slave, stream)
        os.closerange(3, 64)
        os.chdir(asked["cwd"])
        os.execve(asked["words"][0], asked["words"], asked["env"])
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def read(seconds):
        if not select.select([master], [], [], seconds)[0]:
            return False
        screen.feed(decode(os.read(master, 65536)))
        return True

    screens, failed, status = [], None, None
    for step in asked["steps"]:
        if "resize" in step:
            screen.resize(*step["resize"])
            size(*step["resize"])
        if "spoil" in step:
            with sqlite3.connect(step["spoil"]) as db:
                db.execute("ALTER TABLE observations RENAME TO gone")
        if "signal" in step:
            os.kill(child, step["signal"])
        os.write(master, step.get("type", "").encode())
        end = time.monotonic() + WAIT_S
        while re.search(step["until"], screen.text()) is None and failed is None:
            if not read(0.05) and time.monotonic() > end:
                failed = {"step": step, "screen": screen.text()}
        while read(0.05):
            pass
        screens.append(screen.text())
    end = time.monotonic() + WAIT_S
    while status is None:
        read(0.02)
        done, code = os.waitpid(child, os.WNOHANG)
        if done != 0:
            status = os.waitstatus_to_exitcode(code)
        elif time.monotonic() > end:
            failed = failed or {"step": "end", "screen": screen.text()}
            os.kill(child, signal.SIGKILL)
    while read(0.05):
        pass
    print(json.dumps({
        "screens": screens,
        "last": screen.text(),
        "cursor": [screen.y, screen.x],
        "status": status,
        "failed": failed,
        "settingsKept": termios.tcgetattr(slave) == settings,
        "isAlternate": screen.alternate,
        "isCursorShown": screen.shown,
    }))


main()
