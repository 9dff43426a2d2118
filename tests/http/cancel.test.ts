import { expect, it } from "@effect/vitest"
import { all, ended, run, sh, start, until } from "./journaled.ts"
import { post, problemOf } from "./support.ts"

const stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done"

it("ends a command with its grace, and reports its end to every reader", async () => {
  const fixture = await start()
  const polite = sh("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done", "c")
  const response = await fixture.ask(
    "/exec",
    post({ ...polite, grace: 500, commandId: "c" }, { accept: "text/event-stream" }),
  )
  const own = response.text()
  const others = all(fixture.client.events("c"))
  await until(async () => (await run(fixture.client.command("c"))).state === "running")
  const answer = await fixture.ask("/commands/c", { method: "DELETE" })
  expect(answer.status).toBe(202)
  expect((await others).at(-1)?.event).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
  expect(await own).toContain(`"_tag":"Cancelled"`)
  const again = await fixture.ask("/commands/c", { method: "DELETE" })
  expect([again.status, await again.json()]).toMatchObject([200, { state: "faulted", reason: "Cancelled" }])
})

it("leaves out the grace when it is forced, also of a command that has been told to end", async () => {
  const fixture = await start()
  for (const id of ["at-once", "after"]) {
    const command = { command: "sh", arguments: ["-c", stubborn], grace: 120_000, commandId: id, detached: true }
    await fixture.ask("/exec", post(command))
    const ready = await fixture.ask(`/commands/${id}/events`, { headers: { accept: "application/x-ndjson" } })
    const reader = (ready.body ?? new ReadableStream<Uint8Array>()).getReader()
    let text = ""
    while (!text.includes("ready")) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    if (id === "after") await run(fixture.client.cancel(id))
    await run(fixture.client.cancel(id, { force: true }))
    expect((await ended(fixture, id)).reason).toBe("Cancelled")
  }
})

it("ends a command that waits for its readers", async () => {
  const fixture = await start({ maxAhead: 1_000 })
  const reading = await fixture.ask(
    "/exec?disconnectGraceMillis=60000",
    post({ command: "yes", commandId: "c" }, { accept: "application/x-ndjson" }),
  )
  await run(fixture.client.cancel("c"))
  expect((await ended(fixture, "c")).reason).toBe("Cancelled")
  await reading.body?.cancel()
})

it("answers 404 for an unknown command", async () => {
  const fixture = await start()
  const response = await fixture.ask("/commands/nobody?force", { method: "DELETE" })
  expect((await problemOf(response)).type).toBe("urn:sluice:request:unknown-command")
})
