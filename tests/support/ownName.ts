import { execFileSync } from "node:child_process"
import { userInfo } from "node:os"

/** The name of the user that runs the tests. On Bun `userInfo` has that of the variable `USER`. */
export const ownName: string = process.platform === "win32"
  ? userInfo().username
  : execFileSync("id", ["-un"], { encoding: "utf8" }).trim()
