/** Resolves the operands of `cp`, `mv` and `ln` to pairs of source and target paths. */
import { Errno } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { UtilityIo } from "./defineUtility.ts"
import { baseName, joinPath } from "./paths.ts"

/** Resolves the operands: the last one, or the value of `-t`, is the target or the directory of the targets. */
export const resolveTargets = (io: UtilityIo): ReadonlyArray<readonly [from: string, to: string]> => {
  const given = io.value("t")
  const operands = [...io.operands]
  if (operands.length === 0) io.failUsage("missing file operand")
  if (given === undefined && operands.length === 1) {
    io.failUsage(`missing destination file operand after '${operands[0] ?? ""}'`)
  }
  const target = given ?? operands.pop() ?? ""
  const link = io.system.stat(target, { follow: false })
  const asLink = io.has("n") && io.name === "ln" && typeof link === "object" && link.type === FileType.symbolicLink
  const isDirectory = !io.has("T") && !asLink && io.isDirectory(target)
  if (!isDirectory && (given !== undefined || operands.length > 1)) {
    const stat = io.system.stat(target)
    io.fail(`target '${target}'`, typeof stat === "number" ? stat : -Errno.ENOTDIR)
  }
  if (io.has("T") && operands.length > 1) io.failExtraOperand(operands[1] ?? "")
  return operands.map((from) => [from, isDirectory ? joinPath(target, baseName(from)) : target] as const)
}
