/** Memory of a server that nothing was asked of. */
import { rssKb } from "../child.ts"
import { type MeasureCase, sleep } from "../rows/Row.ts"
import { withServer } from "./withServer.ts"

/** RSS in MB (10^6 bytes), one second after the server listens. */
export const serverMemory: MeasureCase = (id, job) =>
  withServer(
    [id === "raw" ? "floor" : "sluice", job.nothing.file],
    async ({ pid }) => {
      await sleep(1_000)
      return { mb: (rssKb(pid) * 1024) / 1e6 }
    },
  )
