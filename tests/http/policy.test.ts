import { expect, it } from "@effect/vitest"
import * as Stream from "effect/Stream"
import { LocalShell } from "../../mod.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { contextOf } from "./support.ts"

const policy = AccessPolicy.make({ allowedCommands: ["echo"] })

const exec = (command: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ command, arguments: ["hello"] }),
})

it("guards the shell with the policy of the routes", async () => {
  await using routes = shellRoutes({ layer: LocalShell.layer, unauthenticated: true, policy })
  expect((await routes.request("/exec", exec("echo"))).status).toBe(200)
  const refused = await routes.request("/exec", exec("ls"))
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ type: "urn:sluice:fault:NotAllowed" })
})

it("does not guard a shell again that the policy guards already", async () => {
  const layer = AccessPolicy.guard(policy)(LocalShell.layer)
  await using routes = shellRoutes({ layer, unauthenticated: true, policy })
  expect(await (await routes.request("/exec", exec("echo"))).json()).toMatchObject({ stdout: "hello\n" })
  expect((await routes.request("/exec", exec("ls"))).status).toBe(403)
})

it("runs nothing on a shell that cannot enforce the policy", async () => {
  const rooted = AccessPolicy.make({ allowedCommands: ["echo"], allowedCwdRoots: ["/tmp"] })
  const context = contextOf(() => Stream.die("it ran"))
  await using routes = shellRoutes({ context, unauthenticated: true, policy: rooted })
  await expect(routes.start()).rejects.toMatchObject({ _tag: "AccessPolicyError", field: "allowedCwdRoots" })
  expect((await routes.request("/exec", exec("echo"))).status).toBe(503)
})
