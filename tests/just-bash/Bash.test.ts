/** The class `Bash` beside just-bash's: the same calls return the same. */
import { describe, expect, it } from "vitest"
import { Bash, InMemoryFs, OverlayFs, ReadWriteFs } from "../../src/just-bash/mod.ts"
import { type Library, same } from "./both.ts"

const plain = ({ exitCode, stderr, stdout }: { stdout: string; stderr: string; exitCode: number }) => ({
  exitCode,
  stderr,
  stdout,
})

/** Runs scripts one after the other in one `Bash`. */
const run = (...scripts: ReadonlyArray<string>) => async ({ bash }: Library) => {
  const made = bash({ files: { "/data.txt": "b\na\n" }, env: { NAME: "Ada" } })
  const results = []
  for (const script of scripts) results.push(plain(await made.exec(script)))
  return results
}

describe("Bash.exec", () => {
  same("returns both outputs and the exit code", run("echo out; echo err >&2; exit 3"), [
    { stdout: "out\n", stderr: "err\n", exitCode: 3 },
  ])
  same(
    "starts each script with the same variables, functions and folder",
    run(
      "cd /dev; export X=1; NAME=Bob; f() { echo f; }; pwd; echo $NAME",
      'echo "[$X] $NAME"; pwd; type f 2>/dev/null || echo none',
    ),
  )
  same(
    "keeps files from script to script",
    run("sort /data.txt > /sorted.txt; mkdir -p /d/e", "cat /sorted.txt; ls /d"),
  )
  same(
    "runs pipelines, conditions and loops",
    run(
      "cat /data.txt | sort | head -n 1",
      "grep -q z /data.txt && echo yes || echo no",
      "for i in 1 2 3; do echo $((i * i)); done | tail -n 2",
      "false; echo $?; ! true; echo $?",
      "set -e; false; echo never",
      "echo ${NAME:-none} ${MISSING:-none} ${NAME}x",
      "unknown_command 2> /dev/null; echo $?",
    ),
  )
  same("reads stdin as text", async ({ bash }) => {
    const made = bash()
    return [
      plain(await made.exec("cat; echo done", { stdin: "é\n" })),
      plain(await made.exec("wc -c", { stdin: "é" })),
      plain(await made.exec("read x; echo [$x]")),
    ]
  })
  same("adds arguments to a command, without parsing them", async ({ bash }) => {
    const made = bash()
    const args = ["a b", "*.ts", "$HOME", "semi;colon", "it's"]
    return plain(await made.exec("printf '%s\\n'", { args }))
  })
  same("takes variables and a folder for one script", async ({ bash }) => {
    const made = bash({ env: { A: "1" }, cwd: "/work" })
    return [
      await made.exec("echo $A $B; pwd", { env: { B: "2" }, cwd: "/" }).then(plain),
      await made.exec("echo $A $B; pwd").then(plain),
      await made.exec("echo [$A] $B", { env: { B: "2" }, replaceEnv: true }).then(plain),
    ]
  })
  same("returns the variables at the end, exported or not", async ({ bash }) => {
    const { env } = await bash({ env: { KEPT: "1", GONE: "2" } }).exec("export A=1; B=2; unset GONE")
    const { env: none } = await bash({ env: { KEPT: "1" } }).exec("")
    return [env["A"], env["B"], env["KEPT"], env["GONE"], none["KEPT"]]
  }, ["1", "2", "1", undefined, "1"])
  same("ends a script by its signal with 124", async ({ bash }) => {
    const abort = new AbortController()
    const running = bash().exec("sleep 60", { signal: abort.signal })
    abort.abort()
    return [plain(await running), plain(await bash().exec("echo x", { signal: AbortSignal.abort() }))]
  })
  same("ends a script at its time limit with 124", async ({ bash }) => {
    const { exitCode, stdout } = await bash({ executionLimits: { maxExecutionTimeMs: 50 } }).exec("sleep 60")
    return { exitCode, stdout }
  }, { exitCode: 124, stdout: "" })
  same("ends a script at its limits of commands, iterations and calls with 126", async ({ bash }) => {
    const of = async (limits: object, script: string) => {
      const { exitCode, stdout } = await bash({ executionLimits: limits }).exec(script)
      return { exitCode, stdout }
    }
    return [
      await of({ maxCommandCount: 5 }, "echo 1; echo 2; echo 3 | cat; echo 5; echo 6"),
      await of({ maxLoopIterations: 3 }, "for i in 1 2 3 4 5; do echo $i; done; echo after"),
      await of({ maxLoopIterations: 3 }, "for i in 1 2 3; do for j in 1 2 3; do echo $i$j; done; done"),
      await of({}, "while :; do :; done"),
      (await of({ maxCallDepth: 5 }, "f() { echo x; f; }; f")).stdout,
    ]
  })
  same("decodes output as UTF-8", run("printf 'é\\n'"))
  same("runs scripts at once over the same files", async ({ bash }) => {
    const made = bash()
    await Promise.all(["a", "b", "c"].map((name) => made.exec(`cd /tmp; echo ${name} > ${name}`)))
    return plain(await made.exec("cat /tmp/a /tmp/b /tmp/c"))
  })
})

describe("new Bash", () => {
  same("has the same home, path and folder", async ({ bash }) => {
    const of = async (made: ReturnType<Library["bash"]>) => {
      const { HOME, PATH, PWD } = made.getEnv()
      return [made.getCwd(), HOME, PATH, PWD, plain(await made.exec('echo "$PWD $HOME $PATH"'))]
    }
    return [
      await of(bash()),
      await of(bash({ files: { "/a": "" } })),
      await of(bash({ cwd: "/w", env: { HOME: "/h" } })),
    ]
  })
  same("writes the initial files with modes and times", async ({ bash }) => {
    const made = bash({
      files: {
        "rel.txt": "r",
        "/b/c.bin": new Uint8Array([255, 0]),
        "/x": { content: "#!/bin/bash\necho run\n", mode: 0o755, mtime: new Date(86_400_000) },
      },
    })
    return [
      await made.readFile("/rel.txt"),
      plain(await made.exec("wc -c < /b/c.bin; stat -c '%a %s' /x; find /x -mtime +300; /x")),
    ]
  })
  same("reads and writes files from its folder", async ({ bash }) => {
    const made = bash({ cwd: "/work" })
    await made.writeFile("deep/er/note.txt", "hi\n")
    return [await made.readFile("deep/er/note.txt"), plain(await made.exec("cat /work/deep/er/note.txt"))]
  })
  same("has only the commands that are named", async ({ bash }) => {
    const { exitCode, stdout } = await bash({ commands: ["cat", "echo"] }).exec("echo x | cat; cd /; ls")
    return { exitCode, stdout }
  }, { exitCode: 127, stdout: "x\n" })
})

describe("custom commands", () => {
  same("get arguments, files, folder, variables and stdin", async ({ bash }) => {
    const made = bash({ env: { Q: "9" } }, {
      tell: async (args, { cwd, env, fs, stdin }) => ({
        stdout: `${
          JSON.stringify([args, cwd, env.get("Q"), stdin, await fs.exists("/tmp"), await fs.exists("/no")])
        }\n`,
        stderr: "told\n",
        exitCode: 5,
      }),
    })
    return [plain(await made.exec("echo in | tell a 'b c'; echo $?")), plain(await made.exec("cd /tmp; tell | cat"))]
  })
  same("run scripts", async ({ bash }) => {
    const made = bash({}, {
      twice: async ([script = ""], { cwd, exec }) => {
        const result = await exec?.(`${script}; ${script}`, { cwd })
        return { stdout: result?.stdout ?? "", stderr: "", exitCode: result?.exitCode ?? 1 }
      },
    })
    return plain(await made.exec("cd /tmp && twice 'pwd; false'"))
  })
  same("take precedence over utilities and builtins", async ({ bash }) => {
    const made = bash({}, {
      echo: (args) => Promise.resolve({ stdout: `mine ${args.join(",")}\n`, stderr: "", exitCode: 0 }),
      cat: () => Promise.resolve({ stdout: "meow\n", stderr: "", exitCode: 0 }),
    })
    return plain(await made.exec("echo a b; cat /nothing"))
  })
  it("write the message of an error to stderr", async () => {
    const made = new Bash({ customCommands: [{ name: "boom", execute: () => Promise.reject(new Error("no way")) }] })
    expect(await made.exec("boom")).toMatchObject({ exitCode: 1, stdout: "", stderr: "boom: no way\n" })
  })
  it("are loaded at their first use, and can be added later", async () => {
    let loaded = 0
    const made = new Bash()
    made.registerCommand({
      name: "late",
      load: () => {
        loaded++
        const result = { stdout: "é", stderr: "", exitCode: 0 }
        return Promise.resolve({ name: "late", execute: () => Promise.resolve(result) })
      },
    })
    expect(loaded).toBe(0)
    expect(await made.exec("late | wc -c")).toMatchObject({ stdout: "2\n", exitCode: 0 })
    expect(loaded).toBe(1)
  })
  it("cannot call each other without end", async () => {
    const made = new Bash({
      customCommands: [{ name: "again", execute: (_args, { exec }) => exec("again") }],
    })
    const { exitCode, stderr } = await made.exec("again")
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain("EAGAIN")
  })
  it("pass variables, stdin and arguments to scripts", async () => {
    const made = new Bash({
      customCommands: [{
        name: "ask",
        execute: (_args, { exec }) => exec("printenv A; cat; printf '[%s]'", { env: { A: "1" }, stdin: "in\n" }),
      }, {
        name: "count",
        execute: (_args, { exec }) => exec("printf '[%s]'", { args: ["a b", "$HOME"] }),
      }],
    })
    expect((await made.exec("ask; count")).stdout).toBe("1\nin\n[][a b][$HOME]")
  })
  it("that return bytes are refused", async () => {
    const result = { stdout: "\xff", stdoutKind: "bytes", stderr: "", exitCode: 0 }
    const made = new Bash({ customCommands: [{ name: "raw", execute: () => Promise.resolve(result) }] })
    expect((await made.exec("raw")).stderr).toContain("stdoutKind of just-bash is refused")
  })
  it("are told when their script is killed, and so are the scripts that they run", async () => {
    const abort = new AbortController()
    let told = false
    const made = new Bash({
      customCommands: [{
        name: "hold",
        execute: async (_args, { exec, signal }) => {
          signal.addEventListener("abort", () => void (told = true))
          setTimeout(() => abort.abort(), 0)
          return await exec("sleep 600")
        },
      }],
    })
    expect(await made.exec("hold", { signal: abort.signal })).toMatchObject({ exitCode: 124 })
    expect(told).toBe(true)
  })
})

describe("features of just-bash that the sandbox lacks", () => {
  const refused = (options: object) => {
    try {
      Reflect.construct(Bash, [options])
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }

  it.each([
    "python",
    "javascript",
    "fetch",
    "sleep",
    "trace",
    "logger",
    "defenseInDepth",
    "coverage",
    "processInfo",
    "overlayRoot",
    "maxCallDepth",
    "executionLimitProfile",
  ])("refuses %s by name", (name) => expect(refused({ [name]: true })).toContain(`${name} of just-bash is refused: `))
  it("may be turned off in the options", () => {
    expect(refused({ python: false, javascript: false, defenseInDepth: false, fetch: undefined })).toBeUndefined()
  })
  it("refuses limits, options and file systems that it cannot obey", async () => {
    expect(refused({ executionLimits: { maxAwkIterations: 5 } })).toContain("maxAwkIterations of just-bash is refused")
    expect(refused({ filez: {} })).toContain("just-bash: Bash: filez is unknown")
    expect(refused({ network: { maxRedirects: 3 } })).toContain("maxRedirects of just-bash is refused")
    expect(refused({ network: { denyPrivateRanges: false } })).toContain("denyPrivateRanges of just-bash is refused")
    expect(refused({ fs: { readFile: () => "" } })).toContain("an InMemoryFs")
    expect(refused({ files: { "/a": "" }, fs: new InMemoryFs() })).toContain("and no `files`")
    expect(refused({ files: { "/lazy": () => "" } })).toContain("cannot write /lazy")
    expect(() => Reflect.construct(OverlayFs, [{ root: ".", allowSymlinks: true }])).toThrow("allowSymlinks is unknown")
    expect(() => Reflect.construct(ReadWriteFs, [{ root: ".", maxFileReadSize: 1 }])).toThrow("is refused")
    await expect(Reflect.apply(Bash.prototype.exec, new Bash(), ["true", { timeout: 1 }])).rejects.toThrow("unknown")
    for (const script of ["a; b", "a | b", "a && b", "a # b", "a\nb"]) {
      await expect(new Bash().exec(script, { args: ["x"] })).rejects.toThrow("args of just-bash is refused")
    }
  })
})

it("kills processes that a script leaves in the background", async () => {
  const made = new Bash()
  await made.exec("(while :; do date +%N > /tmp/beat; sleep 0.01; done) & sleep 0.05")
  const before = await made.readFile("/tmp/beat")
  await made.exec("sleep 0.1")
  expect(await made.readFile("/tmp/beat")).toBe(before)
})

it("reads a folder of this machine, and keeps changes in memory", async () => {
  const fs = new OverlayFs({ root: new URL("../../src/just-bash", import.meta.url).pathname })
  const made = new Bash({ fs, cwd: "/home/user/project" })
  expect(await made.exec("ls | grep -c ts; rm mod.ts; echo new > new.ts; ls mod.ts new.ts")).toMatchObject({
    stdout: expect.stringContaining("new.ts"),
    exitCode: 2,
  })
  expect(
    await new Bash({ fs: new OverlayFs({ root: new URL("../../src/just-bash", import.meta.url).pathname }) })
      .exec("ls /home/user/project/mod.ts"),
  ).toMatchObject({ exitCode: 0 })
})
