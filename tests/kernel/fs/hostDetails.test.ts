/** Tests the owners, blocks and order that a host folder reports only outside of sandboxes. */
import { expect, it } from "@effect/vitest"
import { lstatSync, mkdirSync, opendirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { hostScratch } from "./scratch.ts"

it("reveals owners, blocks and the order of the host only with its option", () =>
  hostScratch((root) => {
    const names = [..."qwertyuiopasdfghjkl"]
    for (const name of names) writeFileSync(join(root, name), "x".repeat(5_000))
    mkdirSync(join(root, "m"))
    const of = (details: boolean) => {
      const volume = makeHostFolder(hostFiles({ details }), root)
      const files = VirtualFileSystem.make({ mounts: { "/": volume }, now: () => 0n, sorted: !details })
      const listed = files.list(files.root)
      return {
        stat: files.stat(files.root, "/q"),
        listed: typeof listed === "number" ? listed : listed.map(({ name }) => name),
      }
    }
    const { blocks, gid, uid } = lstatSync(join(root, "q"))
    const { stat, listed } = of(true)
    const folder = opendirSync(root)
    const order: Array<string> = []
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) order.push(entry.name)
    folder.closeSync()
    expect(stat).toMatchObject({ blocks, owner: { uid, gid } })
    expect(listed).toEqual(order)
    expect(of(false).listed).toEqual([...names, "m"].sort())
    expect(of(false).stat).not.toHaveProperty("owner")
    expect(of(false).stat).not.toHaveProperty("blocks")
  }))
