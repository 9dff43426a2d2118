import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { symlinkSync } from "node:fs"
import { delimiter } from "node:path"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { MockShell } from "../../src/testing/mod.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import type { LeafRunOptions, ShellRunOptions } from "../../src/shell/ShellService.ts"
import { eventually } from "../support/eventually.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { answer, said, type Settings, told } from "./support.ts"

const searchPath = (shop: Workshop): string => `${shop.path("bin")}${delimiter}${process.env["PATH"]}`

/** A script that says how it was called. */
const script = (says: string): string => `#!/bin/sh\necho ${says} "$0" "$@"\n`

const notListed = (name: string): string => `exec: ${name} is not among the allowed commands (NOT_ALLOWED)`

it.live("runs the file on the server's own PATH, whatever PATH the caller sets", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/tool", script("ours"), 0o755)
    shop.write("evil/tool", script("theirs"), 0o755)
    const policy: Settings = { allowedCommands: ["tool", "env"], searchPath: searchPath(shop) }
    expect(yield* told(policy, "tool")).toContain("ours")
    const refused = yield* told(policy, "tool", [], { env: { PATH: shop.path("evil") } })
    expect(refused).toBe("exec: the variable PATH may not be set (NOT_ALLOWED)")
    expect(yield* told(policy, "tool", [], { env: { PATH: null } })).toContain("ours")
    expect(yield* told(policy, shop.path("evil/tool"))).toBe(notListed(shop.path("evil/tool")))
    expect(yield* told(policy, "env", [], { extendEnv: false })).toContain(`PATH=${shop.path("bin")}:`)
    expect(yield* said(policy, `PATH=${shop.path("evil")} tool`)).toContain("the variable PATH may not be set")
    expect(yield* told(policy, "tool", [], { localBin: true })).toContain("(localBin) are not allowed")
  }))

it.live("finds no program in relative directories of PATH", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("here/tool", script("theirs"), 0o755)
    const policy: Settings = { allowedCommands: ["tool", "sh"], searchPath: `:.:here:${process.env["PATH"]}` }
    const options = { cwd: shop.path("here") }
    expect(yield* told(policy, "tool", [], options)).toBe("exec: tool not found in PATH (ENOENT)")
    expect(yield* told(policy, "sh", ["-c", "tool"], options)).toMatch(/not found/)
    expect(yield* said(policy, "tool", options)).toBe("bash: line 1: tool: command not found\n")
  }))

it.live("takes another name of an allowed file for another command", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("store/multi", script("multi"), 0o755)
    for (const name of ["one", "two"]) {
      shop.makeDirectory("bin")
      symlinkSync(shop.path("store/multi"), shop.path(`bin/${name}`))
    }
    const policy: Settings = { allowedCommands: ["one"], searchPath: searchPath(shop) }
    // The name is what such a program goes by.
    expect(yield* told(policy, "one", ["x"])).toBe(`multi ${shop.path("bin/one")} x\n`)
    expect(yield* said(policy, "one x")).toBe(`multi ${shop.path("bin/one")} x\n`)
    expect(yield* told(policy, "two")).toBe(notListed("two"))
    expect(yield* told(policy, shop.path("store/multi"))).toBe(notListed(shop.path("store/multi")))
    symlinkSync(shop.path("bin"), shop.path("alias"))
    expect(yield* told(policy, shop.path("alias/one"))).toContain("multi")
    symlinkSync(shop.path("bin/one"), shop.path("one"))
    expect(yield* told(policy, shop.path("one"))).toBe(notListed(shop.path("one")))
  }))

it.live("passes a multi-call program the requested name, on every runtime", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("bin")
    // Perl, Python and busybox go by argv[0] alike; sh is there everywhere.
    symlinkSync("/bin/sh", shop.path("bin/mysh"))
    const policy: Settings = { allowedCommands: ["mysh"], searchPath: searchPath(shop) }
    expect(yield* told(policy, "mysh", ["-c", 'echo "$0"'])).toBe(`${shop.path("bin/mysh")}\n`)
  }))

it.live("allows only that file for an absolute path, however it is reached", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/tool", script("ours"), 0o755)
    shop.write("other/tool", script("other"), 0o755)
    const policy: Settings = { allowedCommands: [shop.path("bin/tool")], searchPath: searchPath(shop) }
    expect(yield* told(policy, shop.path("bin/tool"))).toContain("ours")
    expect(yield* told(policy, shop.path("other/../bin/tool"))).toContain("ours")
    expect(yield* told(policy, "tool")).toContain("ours")
    expect(yield* said(policy, shop.path("bin/tool"))).toContain("ours")
    expect(yield* told(policy, shop.path("other/tool"))).toBe(notListed(shop.path("other/tool")))
  }))

it.live("refuses a program or directory that was exchanged while the command waited", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/tool", script("ours"), 0o755)
    shop.makeDirectory("within")
    shop.makeDirectory("outside")
    const policy = AccessPolicy.make({
      allowedCommands: ["tool", "cat", "pwd"],
      allowedCwdRoots: [shop.directory],
      searchPath: searchPath(shop),
    })
    // The commands that the policy has checked and given to the leaf.
    const checked: Array<string> = []
    const noting = Layer.effect(
      Shell,
      Effect.map(Shell, (leaf) => ({
        ...leaf,
        exec: (exec: ShellExec, options?: LeafRunOptions) => {
          checked.push(exec.command)
          return leaf.exec(exec, options)
        },
      })),
    ).pipe(Layer.provide(LocalShell.layerWith({ maxConcurrency: 1 })))
    const shell = AccessPolicy.guard(policy)(noting)
    const input = yield* Deferred.make<void>()
    const stdin = Stream.fromEffectDrain(Deferred.await(input))
    const messages = yield* Effect.gen(function* () {
      const run = (exec: ShellExec, options?: ShellRunOptions) =>
        Effect.catch(Effect.map(Shell.run(exec, options), ({ stdout }) => stdout), ({ message }) =>
          Effect.succeed(message))
      const first = yield* Effect.forkChild(run(ShellExec.make("cat"), { stdin }), { startImmediately: true })
      yield* eventually("the first has the slot", () =>
        checked.length === 1)
      const tool = yield* Effect.forkChild(run(ShellExec.make("tool")), { startImmediately: true })
      const pwd = yield* Effect.forkChild(run(ShellExec.make("pwd", [], { cwd: shop.path("within") })), {
        startImmediately: true,
      })
      yield* eventually("the others wait for it", () => checked.length === 3)
      shop.write("bin/tool", script("exchanged"), 0o755)
      yield* Effect.promise(() =>
        import("node:fs/promises").then((fs) => fs.rename(shop.path("within"), shop.path("was")))
      )
      symlinkSync(shop.path("outside"), shop.path("within"))
      yield* Deferred.succeed(input, undefined)
      return yield* Effect.all([first, tool, pwd].map((fiber) => Fiber.join(fiber)))
    }).pipe(Effect.provide(shell))
    expect(messages).toEqual([
      "",
      `exec: the program ${shop.path("bin/tool")} is not the one that was checked (NOT_ALLOWED)`,
      `exec: the working directory ${shop.path("within")} is not the one that was checked (NOT_ALLOWED)`,
    ])
  }))

it.live("compares directories and roots as canonical paths", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    for (const name of ["root/in", "root-beside", "elsewhere"]) shop.makeDirectory(name)
    symlinkSync(shop.path("root"), shop.path("link"))
    symlinkSync(shop.path("elsewhere"), shop.path("root/out"))
    const at = (root: string, workingDirectory: string) =>
      told({ allowedCommands: ["pwd"], allowedCwdRoots: [shop.path(root)] }, "pwd", [], {
        // As it is written: `join` would take `..` away.
        cwd: `${shop.directory}/${workingDirectory}`,
      })
    expect(yield* at("root", "root")).toBe(`${shop.path("root")}\n`)
    expect(yield* at("root", "link/in")).toBe(`${shop.path("root/in")}\n`)
    expect(yield* at("link", "root/in")).toBe(`${shop.path("root/in")}\n`)
    for (const outside of ["root/out", "root/../elsewhere", "root/out/../root-beside", "root-beside", "."]) {
      expect(yield* at("root", outside)).toContain("is not within an allowed root")
    }
    shop.write("file", "")
    expect(yield* at("root", "file")).toContain("is not a directory")
    expect(yield* at("file", "root")).toContain("the configuration ALLOWED_CWD_ROOTS names")
    const none = yield* told({ allowedCommands: ["pwd"], allowedCwdRoots: [] }, "pwd", [], { cwd: "/" })
    expect(none).toContain("is not within an allowed root")
  }))

it.live("lets callers set no variable that changes which program runs, unless the policy names it", () =>
  Effect.gen(function* () {
    const refused = [
      "LD_PRELOAD",
      "LD_AUDIT",
      "DYLD_INSERT_LIBRARIES",
      "BASH_ENV",
      "ENV",
      "NODE_OPTIONS",
      "PYTHONSTARTUP",
    ]
    const more = [
      "GIT_SSH_COMMAND",
      "GIT_EXTERNAL_DIFF",
      "PERL5OPT",
      "RUBYOPT",
      "PAGER",
      "LESSOPEN",
      "EDITOR",
      "HOME",
      "IFS",
    ]
    const others = [
      "BASH_FUNC_ls%%",
      "SHELLOPTS",
      "PS4",
      "http_proxy",
      "JAVA_TOOL_OPTIONS",
      "SLUICE_RUN",
      "npm_config_script_shell",
    ]
    for (const name of [...refused, ...more, ...others]) {
      const text = yield* told({ allowedCommands: ["env"] }, "env", [], { env: { [name]: "x" } })
      expect(text).toMatch(/^exec: the variable \S+ may not be set \(NOT_ALLOWED\)$/)
    }
    const policy: Settings = {
      allowedCommands: ["env"],
      environment: { allow: ["APP_*", "LC_ALL", "PAGER"], deny: ["APP_KEY"] },
    }
    const set = (environment: Record<string, string | null>) => told(policy, "env", [], { env: environment })
    expect(yield* set({ APP_MODE: "on", PAGER: "cat" })).toMatch(/APP_MODE=on[^]*PAGER=cat|PAGER=cat[^]*APP_MODE=on/)
    for (const name of ["APP_KEY", "OTHER", "LD_PRELOAD", "XAPP_MODE"]) {
      expect(yield* set({ [name]: "x" })).toBe(`exec: the variable ${name} may not be set (NOT_ALLOWED)`)
      expect(yield* set({ [name]: null })).toBe(`exec: the variable ${name} may not be set (NOT_ALLOWED)`)
    }
    expect(yield* set({ APP_F: "() { :;}; id" })).toContain("APP_F may not be set")
    expect(yield* said(policy, "export OTHER=x; env")).toContain("OTHER may not be set")
    expect(yield* said(policy, "APP_X=1 env")).toContain("APP_X=1")
  }))

it.live("asks a command's rule about its arguments, in programs, scripts and behind launchers", () =>
  Effect.gen(function* () {
    const rule = Schema.Union([
      Schema.Tuple([Schema.Literal("-n"), Schema.String]),
      Schema.Tuple([Schema.Literal("version")]),
    ])
    const policy: Settings = { allowedCommands: ["echo", "env"], argumentRules: { echo: rule } }
    const refused = "exec: echo is not allowed with these arguments (NOT_ALLOWED)"
    expect(yield* told(policy, "echo", ["-n", "x"])).toBe("x")
    expect(yield* told(policy, "echo", ["x"])).toBe(refused)
    expect(yield* told(policy, "/bin/echo", ["x"])).toBe(
      "exec: /bin/echo is not allowed with these arguments (NOT_ALLOWED)",
    )
    expect(yield* said(policy, "echo version")).toBe("version\n")
    expect(yield* said(policy, "echo other")).toBe(refused)
    expect(yield* said(policy, 'echo -n "$HOME"')).toBe(process.env["HOME"])
    expect(yield* said(policy, 'echo "$HOME"')).toBe(refused)
    expect(yield* said(policy, "env echo x")).toBe(refused)
    expect(yield* said(policy, "env echo version")).toBe("version\n")
  }))

it.live("asks about each stage of a pipeline, and about commands that give bytes", () =>
  Effect.gen(function* () {
    const message = (exit: { readonly message: string }) => exit.message
    const shell = AccessPolicy.guard(LocalShell.layer, AccessPolicy.make({ allowedCommands: ["echo"] }))
    const piped = Shell.pipeline([ShellExec.make("echo", ["a"]), ShellExec.make("cat")])
    const bytes = Shell.bytes(ShellExec.make("cat"))
    for (const events of [Stream.runDrain(piped), Stream.runDrain(bytes)]) {
      expect(message(yield* Effect.flip(events.pipe(Effect.provide(shell))))).toBe(notListed("cat"))
    }
  }))

it.live("bounds timeouts and output", () =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({
      allowedCommands: ["sleep", "seq"],
      maxTimeout: Duration.seconds(1),
      defaultTimeout: Duration.millis(200),
      maxOutputBytes: 100,
    })
    const sleep = (timeout?: string) =>
      answer(
        policy,
        ShellExec.make(
          "sleep",
          ["30"],
          timeout === undefined ? {} : { timeout: Duration.fromInputUnsafe(Number(timeout)) },
        ),
      )
    expect(yield* sleep()).toMatchObject({ reason: { _tag: "Timeout", afterMillis: 200 } })
    expect(yield* sleep("300")).toMatchObject({ reason: { _tag: "Timeout", afterMillis: 300 } })
    expect(yield* sleep("1001")).toMatchObject({
      reason: { _tag: "NotAllowed", policy: "maxTimeout" },
      message: "exec: a timeout of 1.001 s is above the allowed 1 s (NOT_ALLOWED)",
    })
    const seq = (maxOutputBytes?: number) =>
      answer(policy, ShellExec.make("seq", ["1000"], maxOutputBytes === undefined ? {} : { maxOutputBytes }))
    expect(yield* seq()).toMatchObject({ stdoutBytesOmitted: 3_793 })
    expect(yield* seq(101)).toMatchObject({ reason: { _tag: "NotAllowed", policy: "maxOutputBytes" } })
    const alone = AccessPolicy.make({ allowedCommands: ["sleep"], maxTimeout: Duration.millis(150) })
    expect(yield* answer(alone, ShellExec.make("sleep", ["30"]))).toMatchObject({ reason: { afterMillis: 150 } })
  }))

it.live("leaves interpreters in the list their files, and no code, where the policy says so", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("x.sh", "echo file\n")
    const allowed = ["bash", "sh", "python3", "vim", "env", "make"]
    const policy: Settings = { allowedCommands: allowed, code: "refuse" }
    expect(yield* told(policy, "bash", [shop.path("x.sh")])).toBe("file\n")
    const calls: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["bash", ["-c", "id"]],
      ["bash", []],
      ["bash", ["-ec", "id"]],
      ["sh", ["-s"]],
      ["python3", ["-c", "1"]],
      ["python3", ["-"]],
      ["python3", ["-Bc", "1"]],
      ["env", ["bash", "-c", "id"]],
      ["make", []],
    ]
    for (const [program, args] of calls) {
      expect(yield* told(policy, program, args)).toMatch(
        /may not be given code or run other programs \(NOT_ALLOWED\)$/,
      )
    }
    expect(yield* told({ allowedCommands: ["bash"] }, "bash", ["-c", "id -un"])).not.toContain("NOT_ALLOWED")
  }))

it.live("passes the usual variables of this process on, and no others unless they are named", () =>
  Effect.gen(function* () {
    const env = { APP_SECRET: "s3cret", SLUICE_TOKEN: "t0ken", ALLOWED_COMMANDS: "x" }
    Object.assign(process.env, env)
    try {
      const policy: Settings = { allowedCommands: ["env"] }
      for (
        const text of [
          yield* told(policy, "env"),
          yield* said(policy, "env"),
          yield* told({ allowedCommands: ["*"] }, "env"),
        ]
      ) {
        expect(text).toMatch(/^PATH=/m)
        expect(text).toMatch(/^HOME=/m)
        expect(text).not.toMatch(/s3cret|t0ken|^ALLOWED_COMMANDS=/m)
      }
      for (const inherit of [["APP_*", "SLUICE_TOKEN"], ["*"]]) {
        const text = yield* told({ ...policy, environment: { inherit } }, "env")
        expect(text).toMatch(/^APP_SECRET=s3cret$/m)
        expect(text).not.toMatch(/t0ken|^ALLOWED_COMMANDS=/m)
      }
      // A caller's own take precedence.
      const own = yield* told(policy, "env", [], { env: { APP_SECRET: "mine" } })
      expect(own).toMatch(/^APP_SECRET=mine$/m)
      const none = yield* told(policy, "env", [], { extendEnv: false })
      expect(none).not.toMatch(/^HOME=/m)
    } finally {
      for (const name of Object.keys(env)) delete process.env[name]
    }
  }))

it.live("runs commands that name no directory in the default one, within the roots", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("root/sub")
    const policy: Settings = {
      allowedCommands: ["pwd"],
      allowedCwdRoots: [shop.path("root")],
      defaultCwd: shop.path("root/sub"),
    }
    expect(yield* told(policy, "pwd")).toBe(`${shop.path("root/sub")}\n`)
    expect(yield* told(policy, "pwd", [], { cwd: shop.path("root") })).toBe(`${shop.path("root")}\n`)
    const error = yield* told({ ...policy, defaultCwd: shop.directory }, "pwd").pipe(Effect.flip)
    expect([error._tag === "AccessPolicyError" && error.field, error.message]).toEqual([
      "defaultCwd",
      `access: the default directory ${shop.directory}: cwd is not allowed: ${shop.directory} is not within an allowed root (NOT_ALLOWED)`,
    ])
  }))

it.live("gives git no editor, which would run what it reads", () =>
  Effect.gen(function* () {
    const asked = ["git", ["var", "GIT_EDITOR"], { env: { TERM: "xterm" } }] as const
    expect(yield* told({ allowedCommands: ["git"] }, ...asked)).toBe(":\n")
    expect(
      yield* told({ allowedCommands: ["git"] }, "git", ["var", "GIT_EDITOR"], { env: { GIT_EDITOR: "x" } }),
    )
      .toBe("exec: the variable GIT_EDITOR may not be set (NOT_ALLOWED)")
    const inScript = (script: string) => said({ allowedCommands: ["git"] }, script, { env: { TERM: "xterm" } })
    expect(yield* inScript("unset GIT_EDITOR; git var GIT_EDITOR; GIT_EDITOR=x; git var GIT_EDITOR")).toBe(":\n:\n")
    expect(yield* inScript("GIT_EDITOR=x git var GIT_EDITOR")).toBe(
      "exec: the variable GIT_EDITOR may not be set (NOT_ALLOWED)",
    )
    const allowing = { allowedCommands: ["git"], environment: { allow: ["GIT_EDITOR"] } }
    expect(yield* told(allowing, "git", ["var", "GIT_EDITOR"], { env: { GIT_EDITOR: "true" } })).toBe("true\n")
  }))

it("says which entries of a list have no effect as a limit", () => {
  const allowedCommands = [
    "git",
    "ls",
    "/usr/bin/python3.11",
    "npm",
    "sftp",
    "x86_64-linux-gnu-gcc-12",
    "tar",
    "C:\\bin\\node.exe",
  ]
  const open = ["/usr/bin/python3.11", "npm", "sftp", "x86_64-linux-gnu-gcc-12", "C:\\bin\\node.exe"]
  expect(AccessPolicy.unbounded(AccessPolicy.make({ allowedCommands }))).toEqual(open)
  const refusing = AccessPolicy.make({ allowedCommands: [...allowedCommands, "*"], code: "refuse" })
  expect(AccessPolicy.unbounded(refusing)).toEqual(["*"])
})

it("refuses a policy with a misspelt or invalid setting, which would leave its bound open", () => {
  const errorOf = (settings: object): unknown => {
    try {
      return AccessPolicy.make({ allowedCommands: [], ...settings })
    } catch (error) {
      return error
    }
  }
  const _tag = "AccessPolicyError"
  expect(errorOf({ allowedCwdRot: ["/srv"] })).toMatchObject({ _tag, field: "allowedCwdRot" })
  expect(errorOf({ environment: { denied: ["X"] } })).toMatchObject({ _tag, field: "environment" })
  expect(errorOf({ allowedCommands: "ls" })).toMatchObject({ _tag, field: "allowedCommands" })
  expect(errorOf({ allowedCommands: ["git status"] })).toMatchObject({
    message: expect.stringContaining(`"git status" is not one`),
  })
})

it.effect("decodes from JSON, and reports a problem", () =>
  Effect.gen(function* () {
    const json = {
      allowedCommands: ["git", "/bin/ls"],
      allowedCwdRoots: ["/srv"],
      maxTimeout: 60_000,
      redirects: "all",
    }
    const policy = yield* Schema.decodeUnknownEffect(AccessPolicy)(json)
    expect(policy).toBeInstanceOf(AccessPolicy)
    expect(yield* Schema.encodeEffect(AccessPolicy)(policy)).toEqual(json)
    const wrong = [
      { allowedCommands: ["git status"] },
      { allowedCommands: ["bin/tool"] },
      { allowedCommands: ["g*"] },
      { allowedCommands: [""] },
      { allowedCommands: [], maxTimeout: 0 },
      { allowedCommands: [], environment: { allow: ["A=B"] } },
      { allowedCommands: [], argumentRules: { git: "status" } },
      {},
    ]
    for (const each of wrong) {
      expect((yield* Effect.flip(Schema.decodeUnknownEffect(AccessPolicy)(each)))._tag).toBe("SchemaError")
    }
    const error = yield* Effect.flip(
      AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ALLOWED_COMMANDS: "ls,git status" })),
    )
    expect(error._tag).toBe("ConfigError")
    expect(error.message).toContain('"git status" is not one')
    expect((yield* AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({}))).allowedCommands).toEqual([])
    expect(
      (yield* AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ALLOWED_COMMANDS: " ls ,, cat," })))
        .allowedCommands,
    ).toEqual([
      "ls",
      "cat",
    ])
  }))

it.effect("refuses at build time rules that its leaf cannot enforce", () =>
  Effect.gen(function* () {
    const mock = MockShell.layer([])
    const build = (settings: Settings, leaf: Layer.Layer<Shell>) =>
      Effect.flip(Effect.scoped(Layer.build(AccessPolicy.guard(AccessPolicy.make(settings))(leaf))))
    expect((yield* build({ allowedCommands: [], allowedCwdRoots: ["/"] }, mock)).field).toBe("allowedCwdRoots")
  }))
