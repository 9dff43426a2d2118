import { expect, it } from "@effect/vitest"
import { hc } from "hono/client"
import type { ShellRoutes } from "../../src/http/mod.ts"
import type { CommandInfo, CommandPage } from "../../src/wire/mod.ts"
import { start } from "./journaled.ts"
import { token } from "./support.ts"

it("matches Hono's client in its types and its responses", async () => {
  const { url } = await start()
  const client = hc<ShellRoutes>(url, { headers: { authorization: `Bearer ${token}` } })
  const ran = await client.exec.$post({ json: { command: "echo", arguments: ["hello"], commandId: "c" } })
  if (ran.status !== 200) throw new Error(`it answered ${ran.status}`)
  const output = await ran.json()
  const code: number = output.exitCode
  expect([code, output.stdout]).toEqual([0, "hello\n"])
  const detached = await client.exec.$post({
    json: { command: "sleep", arguments: ["60"], commandId: "d", detached: true },
  })
  if (detached.status !== 202) throw new Error(`it answered ${detached.status}`)
  expect((await detached.json()).links.command).toBe("/commands/d")
  const page: CommandPage = await (await client.commands.$get({ query: { state: "exited" } })).json()
  expect(page.commands.map(({ commandId }) => commandId)).toEqual(["c"])
  const info: CommandInfo = await (await client.commands[":id"].$get({ param: { id: "c" } })).json()
  expect(info.exitCode).toBe(0)
  const events = await client.commands[":id"].events.$get({ param: { id: "c" } })
  expect(await events.text()).toContain("ShellOutput")
  expect((await client.commands[":id"].$delete({ param: { id: "d" }, query: { force: "true" } })).status).toBe(202)
  expect((await (await client.health.$get()).json()).status).toBe("ok")
})
