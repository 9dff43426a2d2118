import { FileType } from "../../Stat.ts"
import type { UtilityIo } from "./utility.ts"
import { baseName, joinPath } from "./walk.ts"

/** Pairs of where from and where to, as `cp`, `mv` and `ln` take them: the last operand is a file, or a folder. */
export const resolveTargets = (io: UtilityIo): ReadonlyArray<readonly [from: string, to: string]> => {
  const given = io.value("t")
  const operands = [...io.operands]
  if (operands.length === 0) io.misuse("missing file operand")
  if (given === undefined && operands.length === 1) {
    io.misuse(`missing destination file operand after '${operands[0] ?? ""}'`)
  }
  const target = given ?? operands.pop() ?? ""
  const stat = io.system.stat(target)
  const link = io.system.stat(target, { follow: false })
  const asLink = io.has("n") && io.name === "ln" && typeof link === "object" && link.type === FileType.symbolicLink
  const folder = !io.has("T") && !asLink && typeof stat === "object" && stat.type === FileType.directory
  if (!folder && (given !== undefined || operands.length > 1)) {
    io.fail(`target '${target}'`, typeof stat === "number" ? stat : -54)
  }
  if (io.has("T") && operands.length > 1) io.extraOperand(operands[1] ?? "")
  return operands.map((from) => [from, folder ? joinPath(target, baseName(from)) : target] as const)
}
