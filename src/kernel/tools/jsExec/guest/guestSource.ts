/** Joins the part of js-exec that runs in the engine: a function of the host function and of the configuration. */
import { bufferSource } from "./buffer.ts"
import { consoleSource } from "./console.ts"
import { dispatchSource } from "./dispatch.ts"
import { errorsSource } from "./errors.ts"
import { eventsSource } from "./events.ts"
import { fetchSource } from "./fetch.ts"
import { fsSource } from "./fs.ts"
import { fsChangesSource } from "./fsChanges.ts"
import { inspectSource } from "./inspect.ts"
import { inspectObjectsSource } from "./inspectObjects.ts"
import { modulesSource } from "./modules.ts"
import { pathSource } from "./path.ts"
import { webSource } from "./web.ts"

/** The name of this code in stacks, which leave it out. */
export const guestFile = "js-exec:internal"

export const guestSource: string = [
  "(function (call, configText) {",
  '"use strict"',
  "const config = JSON.parse(configText)",
  errorsSource,
  inspectSource,
  inspectObjectsSource,
  consoleSource,
  pathSource,
  bufferSource,
  fsSource,
  eventsSource,
  fsChangesSource,
  webSource,
  fetchSource,
  modulesSource,
  dispatchSource,
  "})",
].join("\n")
