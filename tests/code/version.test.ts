/** Tests the search for a version of an interpreter with fake version managers: scripts that print a version. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { LocalShell } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import * as Code from "@sluice/shell/code"
import { KernelShell } from "@sluice/shell/sandbox"
import { SshConnection, SshShell } from "@sluice/shell/ssh"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { hasSshd, startSshd } from "../support/sshd.ts"

/** A home directory whose `bin` is all of PATH; `started` lists the programs that were started in it. */
class Home {
  readonly #temporary = mkdtempSync(join(tmpdir(), "sluice version "))
  // Its digits are of no interpreter's version.
  readonly folder = join(this.#temporary, "user 05")
  readonly bin = join(this.folder, "bin")
  readonly env = { HOME: this.folder, PATH: this.bin, NVM_DIR: null, PYENV_ROOT: null, RBENV_ROOT: null }
  readonly #log = join(this.folder, "started")

  constructor() {
    mkdirSync(this.bin, { recursive: true })
    symlinkSync("/bin/sh", join(this.bin, "sh"))
  }

  remove(): void {
    rmSync(this.#temporary, { recursive: true })
  }

  /** Makes a program that prints `text` for `--version`, and its own path for code. */
  add(path: string, text: string, script = 'echo "ran $0"'): this {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    const asked = text === "" ? "exit 127" : `echo '${text}'; exit 0`
    writeFileSync(
      file,
      `#!/bin/sh\necho '${path}' >> '${this.#log}'\n[ "$1" = --version ] && { ${asked}; }\n${script}\n`,
    )
    chmodSync(file, 0o755)
    return this
  }

  get started(): ReadonlyArray<string> {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").trim().split("\n") : []
  }

  input(language: string, version: string, more: Partial<Code.CodeInput> = {}): Code.CodeInput {
    return { language, version, code: "the code", ...more, env: { ...this.env, ...more.env } }
  }

  run(...given: Parameters<Home["input"]>) {
    return Effect.provide(Code.run(this.input(...given)), LocalShell.layer)
  }

  /** What ran for a version, relative to the home. */
  ran(...given: Parameters<Home["input"]>) {
    return Effect.map(this.run(...given), ({ stdout }) => stdout.trim().replace(`ran ${this.folder}/`, ""))
  }
}

const withHome = Effect.acquireRelease(
  Effect.sync(() => new Home()),
  (home) => Effect.sync(() => home.remove()),
)

const pythons = (home: Home): Home =>
  home.add("bin/python3", "Python 3.12.1").add("bin/python3.11", "Python 3.11.4")
    .add(".pyenv/versions/3.9.2/bin/python", "Python 3.9.2")
    .add(".pyenv/versions/3.10.1/bin/python", "Python 3.10.1")
    .add(".pyenv/versions/3.10.12/bin/python", "Python 3.10.12")

describe("a version of an interpreter", () => {
  it.live("is the default interpreter if it matches, without further queries", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      for (const version of ["3", "3.12", "3.12.1"]) {
        expect(yield* home.ran("python", version)).toBe("bin/python3")
      }
      expect(new Set(home.started)).toEqual(new Set(["bin/python3"]))
      expect(home.started).toHaveLength(6)
    }))

  it.live("is a name in PATH, else the highest match of pyenv, nvm or rbenv", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome).add("bin/node", "v24.1.0").add("bin/ruby", "ruby 3.1.2p20")
      for (const version of ["22.1.0", "22.9.0", "22.11.0", "2.2.0"]) {
        home.add(`.nvm/versions/node/v${version}/bin/node`, `v${version}`)
      }
      home.add(".rbenv/versions/2.7.8/bin/ruby", "ruby 2.7.8p225")
      const ran: ReadonlyArray<readonly [string, string, string]> = [
        ["python", "3.11", "bin/python3.11"],
        ["python", "3.11.4", "bin/python3.11"],
        ["python", "3.9", ".pyenv/versions/3.9.2/bin/python"],
        ["python", "3.10", ".pyenv/versions/3.10.12/bin/python"],
        ["python", "3.10.1", ".pyenv/versions/3.10.1/bin/python"],
        ["javascript", "24", "bin/node"],
        ["javascript", "22", ".nvm/versions/node/v22.11.0/bin/node"],
        ["javascript", "22.1", ".nvm/versions/node/v22.1.0/bin/node"],
        ["ruby", "3", "bin/ruby"],
        ["ruby", "2", ".rbenv/versions/2.7.8/bin/ruby"],
      ]
      for (const [language, version, path] of ran) expect(yield* home.ran(language, version)).toBe(path)
    }))

  it.live("is found by the version that it prints, wherever its folder is", () =>
    Effect.gen(function* () {
      const home = (yield* withHome).add("bin/python3.9", "").add("bin/perl", "\nThis is perl 5, version 36 (v5.36.0)")
        .add("py/versions/3.9.9/bin/python", "Python 3.8.1").add("py/versions/3.9.1/bin/python", "Python 3.9.1")
      const env = { PYENV_ROOT: join(home.folder, "py") }
      expect(yield* home.ran("python", "3.9", { env })).toBe("py/versions/3.9.1/bin/python")
      expect(yield* home.ran("perl", "5.36")).toBe("bin/perl")
    }))

  it.live("is that of a stream, too", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      const chunks = yield* Code.stream(home.input("python", "3.11")).pipe(
        Stream.filter((event) => event._tag === "ShellOutputChunk"),
        Stream.map(({ content }) => content),
        Stream.mkString,
        Effect.provide(LocalShell.layer),
      )
      expect(chunks).toBe(`ran ${home.bin}/python3.11\n`)
    }))
})

describe("a missing version", () => {
  it.live("is an error that lists the available versions, and no code runs", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome).add("bin/python3.8", "")
      const error = yield* Effect.flip(home.run("python", "3.1"))
      const found = ["3.12.1", "3.11", "3.10.12", "3.10.1", "3.9.2", "3.8"]
      expect(error).toMatchObject({
        _tag: "PreExecutionError",
        reason: { _tag: "VersionNotFound", version: "3.1", found },
        message: `exec: no python3 of version 3.1 for the language "python"; there is ${found.join(", ")} (ENOENT)`,
      })
      expect(home.started).toEqual(["bin/python3"])
      expect((yield* Effect.flip(home.run("deno", "2"))).message).toContain("; there is no version (ENOENT)")
    }))

  it.live("is refused before anything starts, if it is not numbers", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      for (const version of ["", "latest", "v3", "3.", "3;true", "$(true)", "3\n", "../3", "-c", "1".repeat(99)]) {
        expect(yield* Effect.flip(home.run("python", version))).toMatchObject({
          reason: { _tag: "InvalidRequest", field: "version", code: "EINVAL" },
          message: expect.stringMatching(
            /^exec: the version ".*" is not numbers with dots, as in 3 or 3\.11 \(EINVAL\)$/,
          ),
        })
      }
      expect(home.started).toEqual([])
    }))

  it.live("names the command that did not respond", () =>
    Effect.gen(function* () {
      const home = (yield* withHome).add("bin/python3", "", "")
      writeFileSync(join(home.bin, "python3"), "#!/bin/sh\nwhile :; do :; done\n")
      expect(yield* Effect.flip(home.run("python", "3", { timeout: "200 millis" }))).toMatchObject({
        _tag: "ResourceError",
        reason: { _tag: "Timeout" },
        message: "exec: python3 --version: Process timeout after 200ms (TIMEOUT)",
      })
    }))

  it.live("does not mask a missing directory", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      expect(yield* Effect.flip(home.run("python", "3.9", { cwd: join(home.folder, "none") }))).toMatchObject({
        reason: { _tag: "NotFound", what: "workingDirectory" },
      })
    }))
})

describe("other shells", () => {
  it.live("finds names in PATH behind a policy without sh, and reports the queries that failed", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      const result = (allowed: string, version: string) => {
        const environment = { allow: Object.keys(home.env) }
        const policy = AccessPolicy.make({ allowedCommands: [allowed], searchPath: home.bin, environment })
        return Effect.provide(
          Code.result(home.input("python", version)),
          AccessPolicy.guard(policy)(LocalShell.layer),
        )
      }
      const ran = { success: true, stdout: `ran ${home.bin}/python3.11\n` }
      expect(yield* result("python3.11", "3.11")).toMatchObject(ran)
      expect((yield* result("python3", "3.9")).error).toBe(
        'exec: no python3 of version 3.9 for the language "python"; there is 3.12.1; not asked: ' +
          ["python3.9", "python", "sh"].map((name) => `${name} is not among the allowed commands (NOT_ALLOWED)`)
            .join(", ") +
          " (ENOENT)",
      )
      expect((yield* result("perl", "3")).error).toBe("exec: python3 is not among the allowed commands (NOT_ALLOWED)")
      expect(new Set(home.started)).toEqual(new Set(["bin/python3", "bin/python3.11"]))
    }))

  it.live.runIf(hasSshd)("looks on the other machine of SSH", () =>
    Effect.gen(function* () {
      const home = pythons(yield* withHome)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startSshd()),
        (server) => Effect.sync(() => server.close()),
      )
      const remote = SshShell.layerOverWith({ cwd: home.folder }).pipe(
        Layer.provide(SshConnection.layer(server.options())),
      )
      yield* Effect.gen(function* () {
        const { stdout } = yield* Code.run(home.input("python", "3.10"))
        expect(stdout).toBe(`ran ${home.folder}/.pyenv/versions/3.10.12/bin/python\n`)
        expect(yield* Effect.flip(Code.run(home.input("python", "2")))).toMatchObject({
          reason: { _tag: "VersionNotFound", found: ["3.12.1", "3.11", "3.10.12", "3.10.1", "3.9.2"] },
        })
      }).pipe(Effect.provide(remote))
    }))

  it.live("knows the version of bash in the kernel, and that it has no Python", () =>
    Effect.gen(function* () {
      const result = (language: string, version: string) =>
        Effect.provide(Code.result({ language, version, code: "echo yes" }), KernelShell.layer)
      expect(yield* result("bash", "5")).toMatchObject({ success: true, stdout: "yes\n" })
      expect(yield* result("python", "3")).toMatchObject({
        level: "pre-execution",
        error: 'exec: no python3 of version 3 for the language "python"; there is no version (ENOENT)',
      })
    }))

  it.effect("asks names in PATH on Windows, and no sh", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(Code.run({ language: "python", version: "3.9", code: "" }))).toMatchObject({
        reason: { _tag: "VersionNotFound", found: ["3.12.1"] },
      })
      const calls = (yield* MockShell.calls).map(({ exec }) => [exec.command, ...exec.arguments].join(" "))
      expect(calls).toEqual(["python3", "python3.9", "python"].map((name) => `${name} --version`))
    }).pipe(
      Effect.provide(
        MockShell.layerWith([MockShell.on(() => true, MockRun.stdout("Python 3.12.1\n"))], {
          capabilities: { platform: "windows" },
        }),
      ),
    ))
})
