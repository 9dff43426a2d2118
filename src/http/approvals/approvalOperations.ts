/** Describes the routes of approvals for the OpenAPI document. */
import * as Schema from "effect/Schema"
import { ApprovalReply, ApprovalRequest } from "../../spell/ApprovalBranch.ts"
import { answer, json, type OpenApiPart, operation, text } from "../openapi.ts"

const OpenApprovals = Schema.Struct({
  approvals: Schema.Array(Schema.Struct({ ...ApprovalRequest.fields, asked: Schema.Finite })),
})

export const approvalOperations: OpenApiPart = {
  schemas: { OpenApprovals, ApprovalReply },
  paths: {
    "/approvals": {
      get: operation("listApprovals", "The questions of agents that wait for an answer, the oldest first", {
        "200": answer("The questions", json("OpenApprovals")),
      }),
    },
    "/approvals/{id}": {
      parameters: [
        { name: "id", in: "path", required: true, description: "The correlationId of the question", schema: text },
      ],
      post: operation("answerApproval", "Allow or deny what a question is about", {
        "204": answer("It is answered"),
      }, { requestBody: { required: true, content: json("ApprovalReply") } }),
    },
  },
}
