import { expect, it } from "vitest"
import * as Redacted from "effect/Redacted"
import { ShellExec } from "@sluice/shell"
import { formatCommandLine } from "../../src/shell/formatCommandLine.ts"

it("quotes text that a POSIX shell would split", () => {
  expect(formatCommandLine(ShellExec.make("git", ["commit", "-m", "it's $HOME", ""]))).toBe(
    "git commit -m 'it'\\''s $HOME' ''",
  )
})

it("quotes as Windows programs read", () => {
  expect(formatCommandLine(ShellExec.make("git", ["commit", "-m", 'say "hi"', "a b"]), "windows")).toBe(
    'git commit -m "say \\"hi\\"" "a b"',
  )
})

it("shows a script as the shell gets it", () => {
  expect(formatCommandLine(ShellExec.shell("ls | wc -l"))).toBe("sh -c 'ls | wc -l'")
  expect(formatCommandLine(ShellExec.shell("dir"), "windows")).toBe("cmd /c dir")
})

it("shows neither secrets nor control characters", () => {
  const line = formatCommandLine(ShellExec.make("curl", ["-H", Redacted.make("hunter2"), "a\nb\u001b[2J"]))
  expect(line).toBe("curl -H <redacted> 'a\\nb\\u001b[2J'")
})
