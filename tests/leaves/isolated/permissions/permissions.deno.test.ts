/** The isolated leaf with fewer permissions of Deno. */
import { describe, expect, it } from "vitest"
import * as Schema from "effect/Schema"
import { scriptAnswer } from "../../../support/script.ts"

const folder = new URL(".", import.meta.url).pathname
const needed = ["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys=uid,gid"]

const answerOf = (permissions: ReadonlyArray<string>, options: object = {}): Promise<string> =>
  scriptAnswer(Schema.String, new URL("./make.fixture.ts", import.meta.url), [JSON.stringify(options)], { permissions })

describe.runIf(process.platform === "linux")("isolation with fewer permissions of Deno", { concurrent: true }, () => {
  it("needs the permissions that its messages name", async () => {
    expect(await answerOf(needed, { writable: [folder] })).toBe("isolated")
  })

  it.each(needed)("fails without %s with a message that names it", async (left) => {
    const answer = await answerOf(needed.filter((each) => each !== left), { writable: [folder] })
    expect(answer).toMatch(/^(IsolationError|OptionError|ShellFault): /)
    expect(answer).toContain(left.replace(/=.*/, ""))
  })

  it("does not report an unreadable home folder or file as missing", async () => {
    const home = await answerOf(["--allow-read"], { readable: ["~/.gitconfig"] })
    expect(home).toMatch(/^OptionError: .* HOME is not set, or may not be read$/)
    expect(await answerOf(["--allow-sys=uid"], { readable: [folder] })).toMatch(/^OptionError: .* --allow-read/)
  })

  it("starts nothing if a path to hide cannot be accessed", async () => {
    const home = await answerOf(["--allow-read"], { readable: ["/"], hidden: ["~/.ssh"] })
    expect(home).toMatch(/^OptionError: .* hidden names "~\/.ssh", and HOME is not set/)
    const secret = `${folder}permissions.deno.test.ts`
    const denied = await answerOf([...needed, `--deny-read=${secret}`], { writable: [folder], hidden: [secret] })
    expect(denied).toMatch(/^OptionError: .* which cannot be accessed; Deno needs --allow-read/)
  })
})
