import { expect, it } from "vitest"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { faultOfResolution } from "../../../src/host/faults/planFaults.ts"

const missing = { _tag: "NotFound", path: "/here/tool", searched: [] } as const
const advice = /relative program starts at the directory of this process, not at cwd: write its absolute path/

it.each(
  [
    ["./tool", "posix"],
    ["bin/tool", "posix"],
    ["bin\\tool", "windows"],
  ] as const,
)("says of %s on %s that it does not start at cwd", (program, platform) => {
  const said = (exec: ShellExec): string => faultOfResolution(exec, missing, platform, () => "ENOENT").message
  expect(said(ShellExec.make(program, [], { cwd: "/x" }))).toMatch(advice)
  expect(said(ShellExec.make(program, []))).not.toMatch(advice)
})

it.each(
  [
    ["/here/tool", "posix"],
    ["tool", "posix"],
    ["C:\\tool", "windows"],
  ] as const,
)("does not say so of %s on %s", (program, platform) => {
  const exec = ShellExec.make(program, [], { cwd: "/x" })
  expect(faultOfResolution(exec, missing, platform, () => "ENOENT").message).not.toMatch(advice)
})
