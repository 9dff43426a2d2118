/** Implements the `basename` and `dirname` utilities. */
import type { Program } from "../System.ts"
import { baseName, dirName } from "./shared/paths.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `basename [-az] [-s SUFFIX] NAME... | NAME SUFFIX`: prints the last component of paths. Source: basename(1).
 */
export const basename: Program = defineUtility("basename", "+a|multiple s|suffix: z|zero", (io) => {
  const isMultiple = io.has("a") || io.has("s")
  const [first = "", second] = io.operands
  if (!isMultiple) io.checkOperands(1, 2)
  const suffix = io.value("s") ?? (isMultiple ? "" : second ?? "")
  for (const path of isMultiple ? io.operands : [first]) {
    const name = baseName(path)
    io.printLine(suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)
  }
}, { minOperands: 1 })

/** `dirname [-z] NAME...`: prints paths without their last component. Source: dirname(1). */
export const dirname: Program = defineUtility("dirname", "+z|zero", (io) => {
  for (const path of io.operands) io.printLine(dirName(path))
}, { minOperands: 1 })
