/** Meta-schemas of what providers document, written apart from the code that they test. */

/** Strict tools of OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
export const openAiMetaSchema = {
  $id: "openai",
  type: "object",
  required: ["type", "properties", "required", "additionalProperties"],
  properties: { type: { const: "object" }, anyOf: false },
  $ref: "#/$defs/schema",
  $defs: {
    schema: {
      type: "object",
      anyOf: [{ required: ["type"] }, { required: ["anyOf"] }, { required: ["$ref"] }],
      if: { required: ["$ref"] },
      then: { maxProperties: 1 },
      allOf: [
        {
          if: { properties: { type: { const: "object" } }, required: ["type"] },
          then: { required: ["properties", "required", "additionalProperties"] },
        },
        { if: { properties: { type: { const: "array" } }, required: ["type"] }, then: { required: ["items"] } },
      ],
      properties: {
        $ref: { type: "string", pattern: "^#(/\\$defs/.+)?$" },
        type: {
          anyOf: [{ $ref: "#/$defs/type" }, { type: "array", items: { $ref: "#/$defs/type" }, uniqueItems: true }],
        },
        description: { type: "string" },
        enum: { type: "array", minItems: 1, maxItems: 1000 },
        anyOf: { type: "array", minItems: 1, items: { $ref: "#/$defs/schema" } },
        properties: { type: "object", additionalProperties: { $ref: "#/$defs/schema" } },
        required: { type: "array", items: { type: "string" } },
        additionalProperties: { const: false },
        items: { $ref: "#/$defs/schema" },
        pattern: { type: "string" },
        format: { enum: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"] },
        multipleOf: { type: "number" },
        minimum: { type: "number" },
        maximum: { type: "number" },
        exclusiveMinimum: { type: "number" },
        exclusiveMaximum: { type: "number" },
        minItems: { type: "integer" },
        maxItems: { type: "integer" },
        $defs: { type: "object", additionalProperties: { $ref: "#/$defs/schema" } },
      },
      additionalProperties: false,
    },
    type: { enum: ["string", "number", "boolean", "integer", "object", "array", "null"] },
  },
}

/** `Schema` of the Gemini API: https://ai.google.dev/api/caching#Schema */
export const geminiMetaSchema = {
  $id: "gemini",
  type: "object",
  required: ["type", "properties"],
  $ref: "#/$defs/schema",
  $defs: {
    schema: {
      type: "object",
      anyOf: [{ required: ["type"] }, { required: ["anyOf"] }],
      allOf: [
        {
          if: { properties: { type: { const: "object" } }, required: ["type"] },
          then: { required: ["properties"] },
        },
        { if: { properties: { type: { const: "array" } }, required: ["type"] }, then: { required: ["items"] } },
        { if: { required: ["enum"] }, then: { properties: { type: { const: "string" } } } },
      ],
      properties: {
        // The names are not told apart by their case: documents of Google have both.
        type: { enum: ["string", "number", "integer", "boolean", "array", "object", "null"] },
        format: { enum: ["float", "double", "int32", "int64", "enum", "date-time"] },
        title: { type: "string" },
        description: { type: "string" },
        nullable: { type: "boolean" },
        enum: { type: "array", items: { type: "string" }, minItems: 1 },
        maxItems: { type: "integer" },
        minItems: { type: "integer" },
        properties: { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/schema" } },
        required: { type: "array", items: { type: "string" }, minItems: 1 },
        minProperties: { type: "integer" },
        maxProperties: { type: "integer" },
        minLength: { type: "integer" },
        maxLength: { type: "integer" },
        pattern: { type: "string" },
        example: true,
        anyOf: { type: "array", minItems: 1, items: { $ref: "#/$defs/schema" } },
        propertyOrdering: { type: "array", items: { type: "string" } },
        default: true,
        items: { $ref: "#/$defs/schema" },
        minimum: { type: "number" },
        maximum: { type: "number" },
      },
      additionalProperties: false,
    },
  },
}
