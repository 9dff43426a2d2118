/** CPython in the kernel: as it is elsewhere, and what it says of the kernel by its own tests. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { output, run, withPrograms } from "./support.ts"
import { failureOf } from "../kernel/sandbox/support.ts"

/** What a script says in the sandbox, and what Debian's own CPython of that version says. */
const same: Readonly<Record<string, string>> = {
  "modules of the library": `
import json, re, struct, hashlib, csv, io, datetime, decimal, textwrap, collections, base64
print(json.dumps(json.loads('{"a": [1, 2.5, null, "\\\\u00e4"]}'), sort_keys=True, ensure_ascii=False))
print(re.sub(r"(?P<first>\\w)(\\w*)", lambda m: m["first"].upper() + m[2], "grüße an alle"))
print(struct.unpack("<IHq", struct.pack("<IHq", 7, 8, -9)), hashlib.sha256(b"x" * 100000).hexdigest())
print(list(csv.reader(io.StringIO('a,"b,c"\\n'))), datetime.date(2024, 2, 29) + datetime.timedelta(366))
print(decimal.Decimal(1) / 7, textwrap.fill("a long line of words " * 4, 30), collections.Counter("abca").most_common(1))
print(base64.b64encode(bytes(range(256)))[:20], 2 ** 200, 0.1 + 0.2, float("1e-320"))`,
  "generators, exceptions and deep calls": `
def squares(n):
  try:
    for i in range(n): yield i * i
  finally: print("closed")
for square in squares(10):
  if square > 20: break
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(400))
try: deep(100000)
except RecursionError as error: print(type(error).__name__)
try: raise ValueError("a") from KeyError("b")
except ValueError as error: print(repr(error), repr(error.__cause__))
import asyncio.futures, heapq, functools, itertools
print(heapq.nsmallest(3, (-x % 17 for x in range(100))), functools.reduce(lambda a, b: a * b, range(1, 30)))
print(sorted(itertools.permutations("abc"), reverse=True)[0])`,
  "text, and what cannot be decoded": `
import sys, unicodedata
print("ä".encode("utf-16-le"), b"\\xff".decode("utf-8", "replace"), unicodedata.name("€"), "straße".upper())
print(sys.byteorder, sys.getdefaultencoding(), sys.stdout.encoding, sys.getfilesystemencoding())
print("%-10s|%+.3e|%x" % ("left", 12345.678, 255), f"{1234567.891:,.2f}", "{:>8}".format("ab"))`,
}

for (const [what, script] of Object.entries(same)) {
  it.live(`python reports the same about ${what} as outside`, () =>
    withPrograms(["python3"], (sandbox) =>
      Effect.gen(function* () {
        yield* sandbox.writeFile("script.py", script)
        const native = execFileSync("/usr/bin/python3.11", ["-c", script], {
          encoding: "utf8",
          env: { PYTHONUTF8: "1" },
        })
        expect(yield* output(sandbox, "python3 script.py")).toBe(native)
      })))
}

it.live("python reads a pipe line by line: each answer is there before the next line is given", () =>
  withPrograms(["python3"], (sandbox) =>
    Effect.gen(function* () {
      const lines = yield* Queue.make<Uint8Array, never>()
      const say = (text: string) => Queue.offer(lines, new TextEncoder().encode(`${text}\n`))
      let heard = ""
      yield* say("one")
      const script = `python3 -u -c 'import sys
for line in sys.stdin: print(line.strip()[::-1])
print("over")'`
      yield* sandbox.stream(script, { input: Stream.fromQueue(lines) }).pipe(
        Stream.runForEach((part) => {
          if (part._tag === "ScriptExit") return Effect.void
          heard += part.text
          // A line and its end may come one after the other.
          return !heard.endsWith("\n") ? Effect.void : heard === "eno\n" ? say("two") : Queue.shutdown(lines)
        }),
      )
      expect(heard).toBe("eno\nowt\nover\n")
    })))

it.live("python and the utilities see the same files", () =>
  withPrograms(["python3"], (sandbox) =>
    Effect.gen(function* () {
      const script = `printf 'a\\nb\\n' > in.txt; mkdir -p sub
python3 -c 'import os, shutil, pathlib
text = open("in.txt").read()
os.mkdir("bin"); os.makedirs("own/deep"); pathlib.Path("own/deep/out.txt").write_text(text * 2)
os.symlink("out.txt", "own/deep/link"); os.rename("own/deep/out.txt", "own/deep/moved")
shutil.copytree("own", "/tmp/copied", symlinks=True)
print(sorted(os.listdir(".")), os.path.getsize("own/deep/moved"), os.path.exists("own/deep/link"))
os.utime("own/deep/moved", (0, 86400)); shutil.rmtree("own/deep/nothing", ignore_errors=True)'
wc -l < own/deep/moved; readlink /tmp/copied/deep/link; date -u -r own/deep/moved +%F; find /tmp/copied -type f`
      expect((yield* output(sandbox, script)).replace(/^ +/gm, "")).toBe(
        "['bin', 'in.txt', 'own', 'sub'] 8 False\n4\nout.txt\n1970-01-02\n/tmp/copied/deep/moved\n",
      )
    })))

it.live("python's end is the shell's status: exit codes, exceptions, aborts, and signals while it waits", () =>
  withPrograms(["python3"], (sandbox) =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* run(
        sandbox,
        `python3 -c 'raise SystemExit(7)'; echo $?
python3 -c 'import nothing' ; echo $?
python3 -c 'import os; os.abort()'; echo $?
python3 -c 'import time; time.sleep(1000)' & sleep 1; kill $!; wait $!; echo $?
python3 -c 'input()' < /dev/null; echo $?
python3 -c 'open("none")' 2>&1 | tail -1
python3 -c 'b"a" * 1500000000' 2>&1 | tail -1`,
      )
      expect(stdout).toBe(
        "7\n1\n134\n143\n1\nFileNotFoundError: [Errno 44] No such file or directory: 'none'\nMemoryError\n",
      )
      expect(stderr).toContain(
        "ModuleNotFoundError: No module named 'nothing'",
      )
      expect(stderr).toContain("EOFError")
      expect(sandbox.kernel.processes).toBe(0)
    })))

it.live(
  "python in a worker is ended while it computes, and streams through pipes as in place",
  () =>
    withPrograms(["python3", "lua"], (sandbox) =>
      Effect.gen(function* () {
        const error = yield* failureOf(
          sandbox.run("python3 -c 'while True: pass'", {
            timeout: "3 seconds",
          }),
        )
        expect(error.reason._tag).toBe("Timeout")
        const script = `python3 -c 'for i in range(1000): print(i)' | lua -e 'local sum = 0
for line in io.lines() do sum = sum + line end print(sum)'; timeout 2 lua -e 'while true do end'; echo $?`
        expect((yield* run(sandbox, script)).stdout).toBe("499500\n124\n")
        expect(
          (yield* run(
            sandbox,
            "lua -e 'while true do print(1) end' | head -1; echo ${PIPESTATUS[@]}",
          )).stdout,
        )
          .toBe("1\n141 0\n")
      }), "worker"),
  60_000,
)

/**
 * CPython's own tests, and those of them that fail: Debian's libc for WASI asks for the time 0 where it is to ask for the
 * present one (utimensat(2) without times), as `node:wasi` shows as well.
 */
const suites: Readonly<Record<string, ReadonlyArray<string>>> = {
  test_fileio: [],
  test_io: [],
  test_bufio: [],
  test_largefile: [],
  test_os: ["test_utime_current", "test_utime_current_old"],
  test_posixpath: [],
  test_genericpath: [],
  test_pathlib: ["test_touch_common", "test_touch_common"],
  test_tempfile: [],
  test_shutil: [],
  test_glob: [],
  test_fileinput: [],
  test_filecmp: [],
  test_unicode_file_functions: [],
  test_zipfile: [],
  test_tarfile: [],
  test_dbm_dumb: [],
  test_time: [],
  test_json: [],
  test_exceptions: [],
}

it.live(
  "CPython's own tests of files, pipes and time pass, except where Debian's libc is wrong",
  () =>
    withPrograms(["python3"], (sandbox) =>
      Effect.gen(function* () {
        for (const [suite, failing] of Object.entries(suites)) {
          const { stderr } = yield* run(
            sandbox,
            `python3 -m unittest test.${suite}`,
          )
          expect([
            suite,
            ...[...stderr.matchAll(/^(?:FAIL|ERROR): (\w+)/gm)].map((
              [, name],
            ) => name),
          ])
            .toEqual([suite, ...failing])
          expect(stderr).toMatch(/^Ran [1-9]\d* tests? in /m)
        }
      })),
  1_200_000,
)
