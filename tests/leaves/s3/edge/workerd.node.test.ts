/** The S3 leaf in an edge isolate (workerd), on a strict service. What drives them is Node. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { startWorkerd, type Workerd } from "../../../support/workerd.ts"
import { type ServedS3, serveS3 } from "../serve.ts"
import { StrictS3 } from "../StrictS3.ts"
import { keys, mebibyte } from "../support.ts"

const service = new StrictS3({ keys })
let server: ServedS3
let edge: Workerd

beforeAll(async () => {
  server = await serveS3(service)
  edge = await startWorkerd(new URL("./app.ts", import.meta.url))
})

afterAll(async () => {
  await edge.close()
  await server.close()
})

it("creates, uploads in parts, reads, lists and deletes without any API of a runtime", async () => {
  const body = JSON.stringify({ endpoint: server.endpoint, size: 18 * mebibyte })
  const response = await fetch(edge.url, { method: "POST", body })
  expect(await response.json()).toEqual({
    text: "hello",
    twice: "AlreadyExists",
    large: true,
    names: ["a", "a/large", "a/new"],
    deleted: 3,
    hosts: [],
  })
  expect(service.objects.size).toBe(0)
  expect(service.log.filter((line) => line.includes("partNumber"))).toHaveLength(3)
})
