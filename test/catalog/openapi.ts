/** The catalog as its description has it, for a mock server to serve. Requiredness and success statuses are not documented. */
const text = { type: 'string' }
const number = { type: 'number' }
const id = { type: 'integer', format: 'int64' }
const shape = (properties: object): object => ({ type: 'object', properties })
const listOf = (items: object): object => ({ type: 'array', items })
const planetRef = { $ref: '#/components/schemas/Planet' }

const planet = shape({
  ...{ id, name: text, description: text, type: text, habitabilityIndex: number },
  physicalProperties: shape({
    ...{ mass: number, radius: number, gravity: number, measurement1: number, measurement2: number },
    temperature: shape({
      ...{ min: number, max: number, average: number },
      ...{ temperatureMetric1: number, temperatureMetric2: number },
    }),
  }),
  atmosphere: listOf(
    shape({ compound: text, percentage: number, atmosphericData1: text, atmosphericData2: text }),
  ),
  satellites: listOf({ $ref: '#/components/schemas/Satellite' }),
  creator: shape({ id, name: text }),
  tags: listOf(text),
  ...{ discoveredAt: text, image: text, lastUpdated: text },
  ...{ successCallbackUrl: text, failureCallbackUrl: text },
})

const satellite = shape({
  ...{ id, name: text, description: text, diameter: number, type: text },
  orbit: shape({ planet: planetRef, orbitalPeriod: number, distance: number }),
})

const problem = shape({ type: text, title: text, status: { type: 'integer' }, detail: text })

const example = {
  id: 42,
  name: 'Aurora',
  habitabilityIndex: 0.68,
  physicalProperties: { mass: 5.9e24, temperature: { min: 184, max: 330 } },
  satellites: [{ id: 7, name: 'Lumen', orbit: { planet: { id: 42 }, orbitalPeriod: 27.3 } }],
}

const json = (schema: object, examples?: object): object => ({
  content: { 'application/json': { schema, ...examples } },
})
const body = { required: true, ...json(planetRef) }
const success = { 200: { description: 'Success', ...json(planetRef, { example }) } }
const error = (status: number, title: string): object => ({
  description: title,
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: { type: `https://catalog.example/${status}`, title, status, detail: 'See the title' },
    },
  },
})

export const description = {
  openapi: '3.1.0',
  info: { title: 'Catalog', version: '1.0.0' },
  security: [{ token: [] }],
  paths: {
    '/planets': {
      post: {
        requestBody: body,
        responses: { ...success, 400: error(400, 'Bad Request'), 403: error(403, 'Forbidden') },
        callbacks: {
          succeeded: {
            '{$request.body#/successCallbackUrl}': {
              post: {
                requestBody: json(shape({ planet: text }), { example: { planet: 'Aurora' } }),
                responses: { 200: { description: 'Taken' } },
              },
            },
          },
        },
      },
    },
    '/planets/{planetId}': {
      put: {
        parameters: [{ name: 'planetId', in: 'path', required: true, schema: id }],
        requestBody: body,
        responses: {
          ...success,
          400: error(400, 'Bad Request'),
          403: error(403, 'Forbidden'),
          404: error(404, 'Not Found'),
        },
      },
    },
    '/celestial-bodies': { post: { requestBody: body, responses: success } },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    schemas: { Planet: planet, Satellite: satellite, Problem: problem },
  },
}
