/** Implements the `mktemp` utility. */
import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { stripEnd } from "./shared/strip.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { joinPath } from "./shared/paths.ts"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/**
 * `mktemp [-dqtu] [-p DIRECTORY] [--suffix=S] [TEMPLATE]`: creates a file or directory with an unused name. Source: mktemp(1).
 */
export const mktemp: Program = defineUtility("mktemp", "d|directory q|quiet u|dry-run p: tmpdir:: t suffix:", (io) => {
  const { system } = io
  const [operand] = io.operands
  if (io.operands.length > 1) return io.failUsage("too many templates")
  const suffix = io.value("suffix") ?? ""
  const template = (operand ?? "tmp.XXXXXXXXXX") + suffix
  const last = template.lastIndexOf("X") + 1
  const before = stripEnd(template.slice(0, last), "X")
  const [marks, after] = [template.slice(before.length, last), template.slice(last)]
  if (marks.length < 3) return io.fail(`too few X's in template ‘${template}’`)
  const directory = operand === undefined || io.has("p") || io.has("tmpdir") || io.has("t")
    ? io.value("p") || io.value("tmpdir") || system.env.get("TMPDIR") || "/tmp"
    : undefined
  const random = new Uint8Array(marks.length)
  for (let tries = 0; tries < 100; tries++) {
    system.random(random)
    const name = before + Array.from(random, (byte) => alphabet[byte % alphabet.length] ?? "").join("") + after
    const path = directory === undefined ? name : joinPath(directory, name)
    let result: number
    if (io.has("u")) result = typeof system.stat(path, { follow: false }) === "number" ? 0 : -Errno.EEXIST
    else if (io.has("d")) result = system.makeDirectory(path, 0o700)
    else {
      result = system.open(path, { create: true, exclusive: true, mode: 0o600, write: true })
      if (result >= 0) system.close(result)
    }
    if (result === -Errno.EEXIST) continue
    if (result < 0) {
      if (io.has("q")) return 1
      const kind = io.has("d") ? "directory" : "file"
      const shown = directory === undefined ? template : joinPath(directory, template)
      return io.fail(`failed to create ${kind} via template ‘${shown}’`, result)
    }
    io.print(`${path}\n`)
    return 0
  }
  return io.fail(`failed to create file via template ‘${template}’`, -Errno.EEXIST)
})
