import { expect, it } from "@effect/vitest"
import { realpathSync } from "node:fs"
import { agentConditions, describeChange } from "../../../src/cli/agent/agentConditions.ts"

const none = { cwd: undefined, sandbox: false, url: undefined, approve: undefined }
const here = realpathSync(".")

it("names the place and the approval that flags ask for, without secrets of an address", () => {
  expect(agentConditions(none)).toEqual({ place: here, approval: "workspace-write" })
  expect(agentConditions({ ...none, cwd: "src/..", approve: "ask" })).toEqual({ place: here, approval: "ask" })
  expect(agentConditions({ ...none, sandbox: true })).toEqual({ place: "a sandbox", approval: "full" })
  expect(agentConditions({ ...none, sandbox: true, cwd: "." }).place).toBe(`a sandbox with ${here}`)
  const url = "https://user:pa55@build.example:8443/team/?token=t0ken#k3y"
  expect(agentConditions({ ...none, url }).place).toBe("https://build.example:8443/team/")
  expect(agentConditions({ ...none, url: "no address" }).place).toBe("a server")
})

it("reports nothing if nothing differs, or if the earlier state is unknown", () => {
  const now = agentConditions(none)
  expect(describeChange(now, now)).toBeUndefined()
  expect(describeChange({}, now)).toBeUndefined()
  expect(describeChange({ approval: "full" }, now)).toBe(
    "--resume: the run had --approve full, and now has --approve workspace-write",
  )
  expect(describeChange({ ...now, place: "/elsewhere" }, now)).toBe(
    `--resume: the run worked in /elsewhere, and now works in ${here}`,
  )
})
