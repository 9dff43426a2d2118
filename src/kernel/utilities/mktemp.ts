import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { withoutEnd } from "./shared/trim.ts"
import { utility } from "./shared/utility.ts"
import { joinPath } from "./shared/walk.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** `mktemp [-dqtu] [-p FOLDER] [--suffix=S] [TEMPLATE]`: a new file or folder of a name that is free. Source: mktemp(1). */
export const mktemp: Program = utility("mktemp", "d|directory q|quiet u|dry-run p: tmpdir:: t suffix:", (io) => {
  const { system } = io
  const [operand, more] = io.operands
  if (more !== undefined) return io.misuse("too many templates")
  const suffix = io.value("suffix") ?? ""
  const template = (operand ?? "tmp.XXXXXXXXXX") + suffix
  const last = template.lastIndexOf("X") + 1
  const before = withoutEnd(template.slice(0, last), "X")
  const [marks, after] = [template.slice(before.length, last), template.slice(last)]
  if (marks.length < 3) return io.fail(`too few X's in template ‘${template}’`)
  const folder = operand === undefined || io.has("p") || io.has("tmpdir") || io.has("t")
    ? io.value("p") || io.value("tmpdir") || system.env.get("TMPDIR") || "/tmp"
    : undefined
  const random = new Uint8Array(marks.length)
  for (let tries = 0; tries < 100; tries++) {
    system.random(random)
    const name = before + Array.from(random, (byte) => letters[byte % letters.length] ?? "").join("") + after
    const path = folder === undefined ? name : joinPath(folder, name)
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
      return io.fail(
        `failed to create ${io.has("d") ? "directory" : "file"} via template ‘${
          folder === undefined ? template : joinPath(folder, template)
        }’`,
        result,
      )
    }
    io.out.putText(`${path}\n`)
    return 0
  }
  return io.fail(`failed to create file via template ‘${template}’`, -Errno.EEXIST)
})
