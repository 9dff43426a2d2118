import { expect, it } from "vitest"
import * as Redacted from "effect/Redacted"
import { ShellExec, type ShellExecOptions } from "@sluice/shell"
import { describeDryRun as textOf, type DryRunPlan } from "../../../../src/leaves/local/dry-run/describeDryRun.ts"
import { resolveLocalSettings } from "../../../../src/leaves/local/LocalShellOptions.ts"

const described = (exec: ShellExec, more: Partial<DryRunPlan> = {}): string =>
  textOf({
    exec,
    executable: "/usr/bin/tool",
    platform: "posix",
    settings: resolveLocalSettings({}),
    directory: "/work",
    stdin: exec.input === undefined ? "closed" : "input",
    ...more,
  })

const tool = (args: ReadonlyArray<string | Redacted.Redacted<string>>, options?: ShellExecOptions) =>
  ShellExec.make("tool", args, options)

/** The line that begins with a word. */
const line = (name: string, options: ShellExecOptions, more?: Partial<DryRunPlan>): string | undefined =>
  described(tool([], options), more).split("\n").find((each) => each.startsWith(`  ${name} `))?.slice(15)

it("describes all fields of a command, and nothing else", () => {
  expect(described(tool(["a"]))).toBe("/usr/bin/tool a\n  directory    /work\n  stdin        closed\n")
  const exec = tool(["it's", "", Redacted.make("hunter2"), "$HOME"], {
    env: { A: "1", B: "two words", TOKEN: Redacted.make("hunter2"), C: null, E: "" },
    input: "é\n",
    timeout: "90 seconds",
    idleTimeout: "2 seconds",
    grace: "1 second",
    mergeStreams: true,
    limits: { memoryBytes: 1_000_000, cpuSeconds: 2, processes: 3, fileSizeBytes: 4 },
  })
  expect(described(exec)).toBe(
    [
      "/usr/bin/tool 'it'\\''s' '' <redacted> '$HOME' 2>&1",
      "  directory    /work",
      "  environment  A=1 B='two words' TOKEN=<redacted> E='', without C",
      "  stdin        3 bytes",
      "  timeout      1m 30s or 2s of silence, then SIGTERM to the whole tree, and SIGKILL after 1s",
      "  limits       1000000 bytes of memory, 2 s of processor time, 3 processes, files of 4 bytes",
      "",
    ].join("\n"),
  )
})

it("shows a script as its shell gets it", () => {
  const script = ShellExec.shell("ls | wc -l; echo 'it' done")
  expect(described(script, { executable: "/bin/sh" })).toContain(
    "/bin/sh -c 'ls | wc -l; echo '\\''it'\\'' done'\n",
  )
  const cmd = { executable: "C:\\Windows\\System32\\cmd.exe", platform: "windows" } as const
  expect(described(ShellExec.shell('echo "%PATH%" & dir'), cmd)).toContain(
    'C:\\Windows\\System32\\cmd.exe /d /s /c "echo "%PATH%" & dir"\n',
  )
  const pwsh = { executable: "C:\\pwsh.exe", platform: "windows" } as const
  expect(described(ShellExec.shell('dir "a b"'), pwsh)).toContain('C:\\pwsh.exe -Command "dir \\"a b\\""\n')
})

it("quotes by the rules of Windows there", () => {
  const windows = { executable: "C:\\Program Files\\tool.exe", platform: "windows" } as const
  const text = described(tool(["a b", 'say "hi"', "it's"], { env: { A: "x y" }, timeout: "1 second" }), windows)
  expect(text).toContain('"C:\\Program Files\\tool.exe" "a b" "say \\"hi\\"" it\'s\n')
  expect(text).toContain('  environment  A="x y"\n')
  expect(text).toContain("  timeout      1s, then the whole tree is killed\n")
})

it("describes the inherited environment", () => {
  expect(line("environment", {})).toBeUndefined()
  expect(line("environment", { extendEnv: false })).toBe("nothing")
  expect(line("environment", { extendEnv: false, env: { A: "1", B: null } })).toBe("nothing but A=1")
  expect(line("environment", {}, { settings: resolveLocalSettings({ extendEnv: false }) })).toBe("nothing")
  expect(line("environment", { localBin: true })).toContain("node_modules/.bin of the directory")
})

it("describes stdin, and of a secret not even its length", () => {
  expect(line("stdin", { input: Uint8Array.of(1, 2, 3) })).toBe("3 bytes")
  expect(line("stdin", { input: "" })).toBe("0 bytes")
  expect(line("stdin", { input: Redacted.make("hunter2") })).toBe("<redacted>")
  expect(line("stdin", { input: "not this" }, { stdin: "stream" })).toBe("a stream")
})

it("takes times from the settings when the command names none", () => {
  const settings = resolveLocalSettings({ timeout: "1 hour", grace: 0 })
  expect(line("timeout", {}, { settings })).toBe("1h, then the whole tree is killed")
  expect(line("timeout", { grace: "2 seconds" }, { settings })).toContain("SIGKILL after 2s")
})

it("escapes control characters of a command", () => {
  const nasty = "a\u001b[2J\r\n\u0007"
  const texts = [
    described(tool([nasty], { env: { A: nasty } }), { directory: `/${nasty}` }),
    described(ShellExec.shell(nasty), { executable: "/bin/sh" }),
    described(ShellExec.shell(nasty), { executable: "C:\\cmd.exe", platform: "windows" }),
  ]
  // deno-lint-ignore no-control-regex
  for (const text of texts) expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/)
  expect(texts[0]?.split("\n").length).toBe(5)
})
