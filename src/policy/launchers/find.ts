/**
 * Finds the commands that `find` runs, without the words that receive a path; refuses calls that cannot be analyzed. Source:
 * find(1), of GNU and BSD.
 */
import { type LauncherRule, plain, refused } from "./LauncherRule.ts"

const runsCommand = /^-(?:exec|execdir|ok|okdir)$/

const hasPlace = (word: string): boolean => word.includes("{}")

export const find: LauncherRule = (words) => {
  const commands: Array<ReadonlyArray<string>> = []
  let adds = false
  for (let at = 0; at < words.length; at++) {
    const action = words[at] ?? ""
    if (action === "-files0-from") return refused("with starting points from a file")
    if (!runsCommand.test(action)) continue
    const command: Array<string> = []
    for (at++;; at++) {
      const next = words[at]
      if (next === undefined) return refused(`with ${action} that has no terminator`)
      if (next === ";") break
      if (next === "+" && command.at(-1) === "{}") {
        if (action.startsWith("-exec")) break
        return refused(`with + behind ${action}`)
      }
      command.push(next)
    }
    // The settings that apply depend on the directory, which is known only at run time.
    if (action.endsWith("dir") && command.some((word) => /(?:^|\/)git$/.test(word))) {
      return refused(`with git behind ${action}`)
    }
    if (command[0] !== undefined && hasPlace(command[0])) {
      return refused(`with a found path as the program behind ${action}`)
    }
    // In the folder of a found file a relative word has another meaning: in `/dev` an interpreter reads its code from
    // `stdin`.
    if (action.endsWith("dir") || command.some(hasPlace)) adds = true
    commands.push(command.filter((word) => !hasPlace(word)))
  }
  return commands.length === 0 ? plain : { _tag: "Runs", commands, adds }
}
