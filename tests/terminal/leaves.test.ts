/** Sessions over every leaf that has terminals: one table, the same promises. */
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { LocalShell, Shell } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { shellRoutes } from "@sluice/shell/http"
import { IsolatedShell } from "@sluice/shell/isolated"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { RemoteShell } from "@sluice/shell/remote"
import { SshShell } from "@sluice/shell/ssh"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listen } from "../../src/cli/listen.ts"
import { isolationWorks } from "../support/isolation.ts"
import { hasSshd, type SshServer, startSshd } from "../support/sshd.ts"
import { sessionPromises } from "./sessionPromises.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-sessions-")))
const closers: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })]
let sshd: SshServer | undefined
let url = ""
beforeAll(async () => {
  if (hasSshd) {
    sshd = await startSshd()
    closers.push(() => sshd?.close())
  }
  const routes = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
  const server = await listen({ host: "127.0.0.1", port: 0 }, (request, env) => routes.fetch(request, env))
  url = `http://127.0.0.1:${server.port}`
  closers.push(() => routes.dispose(), () => server.closeNow())
})
afterAll(async () => {
  for (const close of closers) await close()
})

interface Row {
  readonly leaf: string
  readonly runs: boolean
  readonly layer: () => Layer.Layer<Shell, unknown>
}

const rows: ReadonlyArray<Row> = [
  { leaf: "LocalShell", runs: true, layer: () => LocalShell.layer },
  {
    leaf: "LocalShell behind a policy",
    runs: true,
    layer: () => AccessPolicy.guard(AccessPolicy.make({ allowedCommands: ["*"] }))(LocalShell.layer),
  },
  {
    leaf: "JournaledShell",
    runs: true,
    layer: () => LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer)),
  },
  {
    leaf: "IsolatedShell",
    runs: isolationWorks,
    // A folder of its own: what other tests make and remove in the temporary folder would change under its mounts.
    layer: () => IsolatedShell.layerWith({ writable: [folder] }),
  },
  {
    leaf: "SshShell",
    runs: hasSshd,
    layer: () =>
      sshd === undefined ? Layer.effect(Shell, Effect.die("sshd does not run")) : SshShell.layer(sshd.options()),
  },
  { leaf: "RemoteShell", runs: true, layer: () => RemoteShell.layer({ url, token: "s3cret" }) },
]

describe.each(rows)("a session on $leaf", ({ layer, runs }) => sessionPromises(layer, runs, { folder }))
