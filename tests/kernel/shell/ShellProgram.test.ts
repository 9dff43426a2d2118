import { expect, it } from "vitest"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { shellProgram } from "../../../src/kernel/shell/ShellProgram.ts"
import type { Program } from "../../../src/kernel/System.ts"
import { type Answer, makeWorld, sh, start } from "./support.ts"

const run = (args: ReadonlyArray<string>, stdin = ""): Promise<Answer> =>
  start(makeWorld(), "sh", args, new StaticFile(new TextEncoder().encode(stdin))).answer

it.each([
  ["-c with a name and arguments", ["-c", "echo $0 $1 $#", "zero", "one", "two"], "zero one 2\n"],
  ["-s with arguments", ["-s", "a", "b"], "in a b\n"],
  ["no arguments", [], "in\n"],
  ["letters together", ["-euc", "echo $-"], "Behu\n"],
  ["-o with a name", ["-o", "pipefail", "-c", "false | true; echo $?"], "1\n"],
  ["+ to turn off", ["-e", "+e", "-c", "false; echo on"], "on\n"],
  ["-O with a name", ["-O", "nullglob", "-c", "echo x*"], "\n"],
  ["-- before the script", ["-c", "--", "echo dashes"], "dashes\n"],
  ["-n", ["-n", "-c", "echo never"], ""],
  ["-f", ["-f", "-c", "echo *"], "*\n"],
])("accepts %s", async (_, args, expected) => {
  expect((await run(["sh", ...args], "echo in $*\n")).stdout).toBe(expected)
})

it("prints the lines that it reads with -v and the commands that it runs with -x", async () => {
  expect((await run(["sh", "-v", "-c", "echo a"])).stderr).toBe("echo a\n")
  expect((await run(["sh", "-x", "-c", "x='a b'; echo $x"])).stderr).toBe("+ x='a b'\n+ echo a b\n")
})

it("exits with 2 for an unknown option and with 127 for a missing file", async () => {
  expect((await run(["sh", "-Z"])).exitCode).toBe(2)
  expect((await run(["sh", "-o", "nosuch"])).exitCode).toBe(2)
  expect((await run(["sh", "-c"])).exitCode).toBe(2)
  expect(await run(["sh", "nosuch.sh"])).toMatchObject({
    exitCode: 127,
    stderr: "sh: nosuch.sh: No such file or directory\n",
  })
})

it.each([
  ["nosuch", "sh: line 1: nosuch: command not found\n", 127],
  ["\n\nnosuch", "sh: line 3: nosuch: command not found\n", 127],
  ["./nosuch", "sh: line 1: ./nosuch: No such file or directory\n", 127],
  ["echo x >no/file", "sh: line 1: no/file: No such file or directory\n", 1],
  ["set -u; echo $x", "sh: line 1: x: unbound variable\n", 127],
  ["set -eu; echo ${x:?}", "sh: line 1: x: parameter null or not set\n", 1],
  ["set -u; echo ${#x}", "sh: line 1: x: unbound variable\n", 127],
  ["echo $((3 + 08.5))", 'sh: line 1: 3 + 08: value too great for base (error token is "08")\n', 1],
  ["echo $((1 2))", 'sh: line 1: 1 2: syntax error in expression (error token is "2")\n', 1],
  ["readonly r=1; r=2", "sh: line 1: r: readonly variable\n", 1],
  ["cd /nosuch", "sh: line 1: cd: /nosuch: No such file or directory\n", 1],
  ["f() {\nnosuch\n}\n\nf", "sh: line 2: nosuch: command not found\n", 127],
])("reports the error with its line: %j", async (script, stderr, exitCode) => {
  expect(await sh(script)).toMatchObject({ stderr, exitCode })
})

it("names the line of a syntax error", async () => {
  const { exitCode, stderr, stdout } = await sh("echo before\nif true; then\n  )\nfi\n")
  expect(stdout).toBe("before\n")
  expect(stderr).toMatch(/^sh: line 3: syntax error: /)
  expect(exitCode).toBe(2)
})

it("runs an executable text file as a script, with exported variables only", async () => {
  const script = "echo 'echo \"$0 $1 <$a> <$b>\"' > s; chmod +x s; a=1; export b=2; ./s arg"
  expect((await sh(script)).stdout).toBe("./s arg <> <2>\n")
})

it("passes on bytes that are not UTF-8 unchanged", async () => {
  const { answer, stdout } = start(makeWorld(), "sh", [
    "sh",
    "-c",
    'x=$(printf \'\\377a\\200\'); printf \'%s|\' "$x" "${#x}"; read y <<<$x; printf %s "$y"',
  ])
  await answer
  expect([...stdout.bytes]).toEqual([0xff, 0x61, 0x80, 0x7c, 0x33, 0x7c, 0xff, 0x61, 0x80])
})

it("passes only the script's own descriptors to children", async () => {
  const kernel = makeWorld()
  const list = {
    program: "sh",
    script:
      "exec 7</dev/null; x=$(sh -c 'for f in 0 1 2 3 4 5 6 7 8 9; do { true <&$f; } 2>/dev/null && echo $f; done'); echo $x",
  }
  expect((await start(kernel, list.program, ["sh", "-c", list.script]).answer).stdout).toBe("0 1 2 7\n")
})

it("reports the version of bash that it imitates", async () => {
  const { exitCode, stdout } = await run(["bash", "--version"])
  expect(stdout).toMatch(/GNU bash, version 5\.\d+\.\d+\(\d+\)/)
  expect(exitCode).toBe(0)
  expect((await run(["bash", "--help"])).stdout).toContain("Usage:")
})

it.each([
  ["--norc", ["--norc", "-c", "echo $0"], "bash\n"],
  ["--noprofile with --norc", ["--noprofile", "--norc", "-c", "echo on"], "on\n"],
  ["--rcfile with a file", ["--rcfile", "nosuch", "-c", "echo on"], "on\n"],
  ["--posix", ["--posix", "-c", "[[ -o posix ]] && echo posix"], "posix\n"],
  ["-O expand_aliases", ["-O", "expand_aliases", "-c", "alias e=echo\ne aliased"], "aliased\n"],
])("accepts %s", async (_, args, expected) => {
  expect(await run(["bash", ...args])).toMatchObject({ stdout: expected, stderr: "", exitCode: 0 })
})

it("refuses unknown long options", async () => {
  expect(await run(["bash", "--nosuch"])).toMatchObject({ stderr: "bash: --nosuch: invalid option\n", exitCode: 2 })
})

it("reports an internal error as an error of the command", async () => {
  const broken: Program = (system) =>
    shellProgram()(
      new Proxy(system, {
        get: (target, name) => {
          if (name === "umask") return () => JSON.parse("{")
          const value: unknown = Reflect.get(target, name)
          return typeof value === "function" ? value.bind(target) : value
        },
      }),
    )
  const { exitCode, stderr, stdout } = await start(makeWorld(), broken, ["sh", "-c", "umask; echo no\necho $?"]).answer
  expect(stderr).toMatch(/^sh: line 1: internal error: SyntaxError: /)
  expect(stdout).toBe("125\n")
  expect(exitCode).toBe(0)
})

it("shows programs as files, beside those of the file system", async () => {
  const script = "[ -x /bin/sh ] && [ -f /usr/bin/sort ] && [ -d /bin ] && [ ! -e /bin/nosuch ] && echo seen\n" +
    "ls -l /bin/sh | cut -c1-10; ls /bin | grep -x sed; find / -name sort; echo /bin/[s]ed; wc -c < /bin/sh\n" +
    "mkdir /bin; echo text > /bin/own; cat /bin/own; ls /bin | grep -cx -e own -e sh"
  expect(await sh(script)).toMatchObject({
    stdout: "seen\n-rwxr-xr-x\nsed\n/bin/sort\n/usr/bin/sort\n/bin/sed\n0\ntext\n2\n",
    stderr: "",
  })
})

it("shows only the programs that may start", async () => {
  const kernel = makeWorld({ allow: ["sh", "ls"] })
  expect((await sh("test -e /bin/cat || echo hidden; ls /bin", "", kernel)).stdout).toBe("hidden\nls\nsh\n")
})
