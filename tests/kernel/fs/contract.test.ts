import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { overlay, union } from "../../../src/kernel/fs/overlay.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { contract } from "./contract.ts"
import { hostScratch } from "./scratch.ts"

contract("memory", (use) => use(memory()), { asksModes: true, exactTimes: true, reserves: true })

contract("a host folder", (use) => hostScratch((folder) => use(makeHostFolder(hostFiles(), folder))), {
  asksModes: false,
  exactTimes: false,
  reserves: false,
})

contract(
  "a host folder that is not held",
  (use) => hostScratch((folder) => use(makeHostFolder(hostFiles({ holdFolders: false }), folder))),
  { asksModes: false, exactTimes: false, reserves: false },
)

contract(
  "an overlay of a host folder",
  (use) => hostScratch((folder) => use(overlay(makeHostFolder(hostFiles(), folder)))),
  {
    asksModes: true,
    exactTimes: true,
    reserves: true,
  },
)

contract("an overlay of several volumes", (use) => use(overlay([memory(), union([memory(), memory()])])), {
  asksModes: true,
  exactTimes: true,
  reserves: true,
})
