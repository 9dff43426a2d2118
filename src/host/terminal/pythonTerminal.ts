/** Makes an engine of `python3`, which relays between a terminal and pipes. */
import { encodeUtf8 } from "../../base/bytes.ts"
import type { Host } from "../Host.ts"
import { findPython } from "./findPython.ts"
import { endOfInput, type TerminalEngine } from "./TerminalEngine.ts"

/**
 * The relay. It reads output only while its stdout takes it, and input only while the terminal takes it, so either side holds
 * the other back. Sizes come by descriptor 3. It ends as its child ended, and passes signals on.
 */
const relay = `
import os, sys, pty, fcntl, termios, struct, select, signal, resource
def set_size(fd, cols, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(cols), 0, 0))
cols, rows, file, name = sys.argv[1:5]
args = [os.fsencode(a) for a in sys.argv[4:]]
# As it was given: Python may have added LC_CTYPE.
try:
    with open("/proc/self/environ", "rb") as f:
        env = dict(v.split(b"=", 1) for v in f.read().split(b"\\0") if b"=" in v)
except OSError: env = os.environb
pid, tty = pty.fork()
if pid == 0:
    try:
        set_size(0, cols, rows)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.closerange(3, 256)
        os.execve(os.fsencode(file), args, env)
    except OSError as e:
        os.write(2, ("%s: %s\\n" % (file, e.strerror)).encode())
        os._exit(126 if e.errno == 13 else 127)
passed = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT]
for s in passed:
    signal.signal(s, lambda number, _: os.kill(pid, number))
status = None
def reap(options):
    global status
    if status is None:
        done, how = os.waitpid(pid, options)
        if done: status = how
wake_read, wake_write = os.pipe()
for fd in (0, 1, 3, tty, wake_read, wake_write): os.set_blocking(fd, False)
signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
# It only ends the wait below: a handler that reaped could run between a waitpid of the program and its assignment.
signal.signal(signal.SIGCHLD, lambda *_: None)
out = inp = sizes = b""
reading = True
sources = {0, 3}
def read(fd):
    try: return os.read(fd, 65536)
    except BlockingIOError: return None
    except OSError: return b""
def write(fd, data):
    try: return data[os.write(fd, data):]
    except BlockingIOError: return data
    except OSError: return None
while reading or out:
    reap(os.WNOHANG)
    wants = [wake_read] + ([tty] if reading and not out else []) + ([0] if 0 in sources and not inp else []) + ([3] if 3 in sources else [])
    full = ([1] if out else []) + ([tty] if inp and reading else [])
    # The child is gone, and no other process writes: the relay reads the rest and ends.
    # Room in a terminal that was full is not always reported.
    ready, room, _ = select.select(wants, full, [], 0.02 if inp or status is not None else None)
    if wake_read in ready: read(wake_read)
    if 3 in ready:
        data = read(3)
        if data == b"": sources.discard(3)
        elif data:
            sizes += data
            *lines, sizes = sizes.split(b"\\n")
            for line in lines: set_size(tty, *line.split())
    if 0 in ready:
        data = read(0)
        if data == b"": sources.discard(0)
        elif data: inp = data
    if tty in room or (inp and reading):
        inp = write(tty, inp) or b""
    if reading and tty in ready:
        data = read(tty)
        if data == b"": reading = False
        elif data: out = data
    elif status is not None and not out: reading = False
    if out:
        rest = write(1, out)
        if rest is None:
            # The reader is gone: a hang-up.
            out, reading = b"", False
            os.close(tty)
        else: out = rest
# Not closed before: a program may close its terminal, and would be hung up before it ends.
reap(0)
if os.WIFSIGNALED(status):
    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
os._exit(os.WEXITSTATUS(status))
`

/** Finds the engine; `undefined` without `python3`. */
export const findPythonTerminal = (host: Host): TerminalEngine | undefined => {
  const python = findPython(host)
  if (python === undefined) return undefined
  return {
    name: "python3",
    spawn: async (host, { environment, size, ...request }) => {
      const words = [`${size.cols}`, `${size.rows}`, request.file, request.argv0 ?? request.file, ...request.args]
      const process = await host.spawn({
        ...request,
        file: python,
        // Isolated: neither its variables nor modules of the working directory change the relay.
        args: ["-I", "-S", "-c", relay, ...words],
        argv0: undefined,
        env: { clear: true, set: environment },
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
        detached: true,
        extra: ["piped"],
      })
      const { stdin } = process
      const sizes = process.extra?.get(3)
      return {
        ...process,
        onExit: (done) =>
          process.onExit((status) => {
            void stdin?.end()
            void sizes?.writer.end()
            sizes?.reader.release()
            done(status)
          }),
        stdin: stdin === undefined ? undefined : {
          write: stdin.write,
          end: async () => {
            await stdin.write(endOfInput)
          },
        },
        resize: ({ cols, rows }) => void sizes?.writer.write(encodeUtf8(`${cols} ${rows}\n`)),
      }
    },
  }
}
