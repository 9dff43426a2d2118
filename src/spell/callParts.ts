/** Divides a call into the paths and commands about which the rules of an approval policy decide one by one. */
import { launchedCommands } from "../policy/launchedCommands.ts"
import { scriptCommands } from "../policy/scriptCommands.ts"
import type { CallPart, InspectedCall } from "./ApprovalRule.ts"

const commandPart = (command: ReadonlyArray<string>, cwd: string | undefined): CallPart => ({
  command,
  launched: launchedCommands(command),
  cwd: cwd === "." ? undefined : cwd,
})

/** The parts of a call; the call itself if its spell declares no targets. */
export const callParts = ({ targets }: InspectedCall): ReadonlyArray<CallPart> => {
  const parts = targets.flatMap((target): ReadonlyArray<CallPart> => {
    switch (target._tag) {
      case "Path":
        return [{ path: target.path, recursive: target.recursive }]
      case "Command":
        return [commandPart([target.command, ...target.arguments], target.cwd)]
      case "Script":
        return scriptCommands(target.script)?.map((command) => commandPart(command, target.cwd)) ??
          [{ command: "unknown" }]
      case "Code":
        return [{ ...commandPart([target.language, target.code], target.cwd), launched: ["unknown"] }]
      case "Input":
        return [{ command: "unknown" }]
    }
  })
  return parts.length === 0 ? [{}] : parts
}
