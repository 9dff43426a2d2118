/** Opens a journal as a user who may only read it, by the process that `otherUser.fixture.ts` is. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { scriptAnswer } from "../../../support/script.ts"

const asOtherUser = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

/** Whether a process can run as another user who may run this runtime too. */
export const canVisit: boolean = ((): boolean => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const [program = "", ...args] = [...asOtherUser, process.execPath, "--version"]
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

export const whyNot: string = canVisit ? "" : " (left out: this process cannot run another as the user nobody)"

const Visit = Schema.Struct({ read: Schema.Array(Schema.Int), append: Schema.String, make: Schema.String })

/** Opens the journal as a user without write permission; the results of reading, of appending, and of a new file. */
export const visit = (path: string, beside: string) =>
  Effect.promise(() =>
    scriptAnswer(Visit, new URL("./otherUser.fixture.ts", import.meta.url), [path, beside], {
      before: asOtherUser,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: "/nonexistent",
        DENO_DIR: "/nonexistent",
        DENO_NO_UPDATE_CHECK: "1",
      },
    })
  )
