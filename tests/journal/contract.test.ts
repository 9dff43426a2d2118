import * as Effect from "effect/Effect"
import { makeJournal } from "../../src/journal/makeJournal.ts"
import { journalContract } from "../support/journalContract.ts"
import { ReferenceStore } from "./ReferenceStore.ts"

// The service alone, over a store that is as slow as it is plain.
journalContract("a reference store", {
  place: Effect.sync(() => {
    const store = new ReferenceStore()
    return {
      open: (options) => Effect.suspend(() => makeJournal(store.open(), options)),
      tamper: store.tamper,
    }
  }),
  can: { durable: true, processes: true, durabilities: ["memory", "os", "disk"] },
})
