import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through gemini-generatecontent, for every row. */
const VISION = {
  text: {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "Say hi." }] }],
  },
  "file-ref, text": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Look at" },
          { text: "File src/a.ts:\nexport const a = 1\nexport const b = 2\nexport const c = 3\n" },
        ],
      },
    ],
  },
  "file-ref, range": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "File src/a.ts, lines 2-3:\nexport const b = 2\nexport const c = 3" },
          { text: "Why?" },
        ],
      },
    ],
  },
  "file-ref, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "What is this?" },
          {
            inlineData: {
              mimeType: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
        ],
      },
    ],
  },
  "file-ref, large": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Find the error in" },
          {
            text: "[file: big.log, text/plain, 42,000 bytes. Not shown: it is larger than 32,768 bytes. Use read on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "file-ref, directory": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [{ text: "List" }, { text: "[file: docs. Not shown: docs is a directory.]" }],
      },
    ],
  },
  "file-ref, missing": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [{ text: "Open" }, { text: "[file: gone.ts. Not shown: gone.ts does not exist.]" }],
      },
    ],
  },
  "directory-ref": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Search" },
          { text: "[directory: docs (dir_1), read only. Its contents are not included.]" },
        ],
      },
    ],
  },
  "attachment, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          {
            inlineData: {
              mimeType: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
            },
          },
          { text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Sum up" },
          { inlineData: { mimeType: "application/pdf", data: "JVBERi0xLjcK" } },
        ],
      },
    ],
  },
  "attachment, audio": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Transcribe" },
          {
            inlineData: {
              mimeType: "audio/wav",
              data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
            },
          },
        ],
      },
    ],
  },
  "attachment, video": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Watch" },
          {
            inlineData: {
              mimeType: "video/mp4",
              data: "AAAAGGZ0eXBpc29tAAACAGlzb21pc28yAAAACG1kYXQ=",
            },
          },
        ],
      },
    ],
  },
  "attachment, office": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Read" },
          {
            text: "[attached file: a.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 170 bytes. Not shown: the gemini-generatecontent API does not take application/vnd.openxmlformats-officedocument.wordprocessingml.document.]",
          },
        ],
      },
    ],
  },
  "attachment, csv": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Add up" }, { text: "Attached file a.csv:\na,b\n1,2\n" }] },
    ],
  },
  "attachment, unknown binary": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Guess" },
          {
            text: "[attached file: a.bin, application/octet-stream, 4 bytes. Not shown: models do not read this format.]",
          },
        ],
      },
    ],
  },
  "command, host action": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "Then go on." }] }],
  },
  "command, result": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "errors" }] }],
  },
  "command, pass-through": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "/frobnicate now" }] }],
  },
  "mention, skill": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "Be strict." }] }],
  },
  "mention, file": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "File docs/readme.md:\n# Read me\n" }, { text: "Fix it." }] },
    ],
  },
  "mention, symbol": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: '<editor_context kind="ref">{"kind":"symbol","name":"parse"}</editor_context>' },
          { text: "Explain." },
        ],
      },
    ],
  },
  "mention, other": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [{ role: "user", parts: [{ text: "And now?" }] }],
  },
  "editor-context": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Make it blue." },
          {
            text: '<editor_context kind="selection" source="canvas">{"node":7,"name":"\\u003c/editor_context\\u003e"}</editor_context>',
          },
        ],
      },
    ],
  },
  "skill-content": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "skill", description: "Load a skill.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Look at my change." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: {
              id: "GKR2O5bDW",
              name: "skill",
              args: { name: "review", arguments: "strict" },
            },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "GKR2O5bDW",
              name: "skill",
              response: { output: "Read the diff twice." },
            },
          },
        ],
      },
    ],
  },
  "tool result, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "logo.png" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: { output: "3 x 2\n\n[logo.png, image/png]" },
              parts: [
                {
                  inlineData: {
                    mimeType: "image/png",
                    data: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
                  },
                },
              ],
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
  "tool result, pdf": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "a.pdf" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: { output: "1 page\n\n[a.pdf, application/pdf]" },
              parts: [{ inlineData: { mimeType: "application/pdf", data: "JVBERi0xLjcK" } }],
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
  "tool result, wav": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Listen." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "a.wav" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: { output: "1 second\n\n[a.wav, audio/wav: shown after this result]" },
            },
          },
          { text: "[a.wav, from attach]" },
          {
            inlineData: {
              mimeType: "audio/wav",
              data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
  reasoning: {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Why?" }] },
      {
        role: "model",
        parts: [
          { text: "I wonder.", thought: true, thoughtSignature: "c2ln" },
          { text: "Because." },
        ],
      },
      { role: "user", parts: [{ text: "I see." }] },
    ],
  },
  "unknown part": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Roses are red." }, { text: "[unsupported part: dance]" }] },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "What is this?" },
          {
            text: "[file: logo.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images. Use read_image on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "attachment, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          {
            text: "[attached file: a.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images.]",
          },
          { text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Sum up" },
          {
            text: "[attached file: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
          },
        ],
      },
    ],
  },
  "attachment, audio": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Transcribe" },
          {
            text: "[attached file: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
          },
        ],
      },
    ],
  },
  "attachment, video": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Watch" },
          {
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the model does not take video.]",
          },
        ],
      },
    ],
  },
  "tool result, image": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "logo.png" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: {
                output:
                  "3 x 2\n\n[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
              },
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
  "tool result, pdf": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "a.pdf" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: {
                output:
                  "1 page\n\n[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
              },
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
  "tool result, wav": {
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "attach", description: "Show a file.", parametersJsonSchema: { type: "object" } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: "user", parts: [{ text: "Listen." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "11WpZzBfC", name: "attach", args: { path: "a.wav" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "11WpZzBfC",
              name: "attach",
              response: {
                output:
                  "1 second\n\n[audio: a.wav, audio/wav, 44 bytes. Not shown: the model does not take audio.]",
              },
            },
          },
          { text: "Go on." },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, object>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
