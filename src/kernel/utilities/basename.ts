import type { Program } from "../System.ts"
import { utility } from "./shared/utility.ts"
import { baseName, dirName } from "./shared/walk.ts"

/** `basename [-az] [-s SUFFIX] NAME... | NAME SUFFIX`: the last part of a path. Source: basename(1). */
export const basename: Program = utility("basename", "+a|multiple s|suffix: z|zero", (io) => {
  const many = io.has("a") || io.has("s")
  const [first, second] = io.operands
  if (first === undefined) return io.missingOperand()
  if (!many && io.operands[2] !== undefined) return io.extraOperand(io.operands[2])
  const suffix = io.value("s") ?? (many ? "" : second ?? "")
  for (const path of many ? io.operands : [first]) {
    const name = baseName(path)
    io.out.putText(suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)
    io.out.putText(io.has("z") ? "\0" : "\n")
  }
})

/** `dirname [-z] NAME...`: a path without its last part. Source: dirname(1). */
export const dirname: Program = utility("dirname", "+z|zero", (io) => {
  if (io.operands.length === 0) return io.missingOperand()
  for (const path of io.operands) io.out.putText(dirName(path) + (io.has("z") ? "\0" : "\n"))
})
