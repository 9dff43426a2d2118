// @ts-nocheck s3rver and fs-extra have no types here
/**
 * Loaded by s3rver before its server: it answers a PUT when it has hashed the body, and its file may get it later. A GET in
 * between reads an older or an empty object, which S3 has not allowed since 2020. Here it answers when the file is written.
 */
const { AsyncLocalStorage } = require("node:async_hooks")
const { finished } = require("node:stream/promises")
const files = require("fs-extra")
const Store = require("s3rver/lib/stores/filesystem")

/** @type {AsyncLocalStorage<Array<Promise<void>>>} */
const writesOf = new AsyncLocalStorage()

const create = files.createWriteStream
/** @param {Parameters<typeof create>} args */
files.createWriteStream = (...args) => {
  const stream = create(...args)
  writesOf.getStore()?.push(finished(stream))
  return stream
}

for (const name of ["putObject", "putPart"]) {
  const put = Store.prototype[name]
  /** @param {ReadonlyArray<unknown>} args */
  Store.prototype[name] = function (...args) {
    const writes = []
    return writesOf.run(writes, async () => {
      const answer = await put.apply(this, args)
      await Promise.all(writes)
      return answer
    })
  }
}
