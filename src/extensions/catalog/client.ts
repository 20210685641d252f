import type { CallOptions, ClientOptions } from '../../index.ts'
import {
  type BodyFormat,
  type CommonOptions,
  ApiCall,
  ClientTransport,
  LocalLimiter,
  assertToken,
  resolveOptions,
} from '../../extend.ts'
import { organizationLimits } from '../../api/limits.ts'
import { celestialBodiesCreate, planetsCreate, planetsUpdate } from '../../api/catalog/operations.ts'
import type { Planet, PlanetId } from '../../api/catalog/planet.ts'
import { parseCatalogJson } from '../../api/catalog/json.ts'
import { writeJson } from '../../lib/json.ts'
import { type Problem, readProblem } from '../../api/catalog/problem.ts'
import { ApiError, type ApiErrorDetails, nameClasses } from '../../errors/index.ts'

/** Options of a client of the catalog. */
export interface CatalogOptions extends Omit<CommonOptions, 'budget'>, Pick<ClientOptions, 'fetch'> {
  /** The catalog's base URL: https, or http on a loopback address. */
  baseUrl: string
  /** The catalog's JWT, or a function that returns it, called before each attempt. */
  token: string | (() => string | Promise<string>)
}

/** Options of one call to the catalog. They replace those of the client; headers are added to its headers. */
export type CatalogCallOptions = Omit<CallOptions, 'budget'>

/** Calls about planets. */
export interface Planets {
  /** Creates a planet (`POST /planets`). When the catalog has finished, it calls one of the planet's callback URLs. */
  create(planet: Planet<PlanetId>, options?: CatalogCallOptions): ApiCall<Planet>
  /** Updates a planet (`PUT /planets/{planetId}`). */
  update(planetId: PlanetId, planet: Planet<PlanetId>, options?: CatalogCallOptions): ApiCall<Planet>
}

/** Calls about celestial bodies. */
export interface CelestialBodies {
  /** Creates a celestial body (`POST /celestial-bodies`), which has the shape of a planet. */
  create(body: Planet<PlanetId>, options?: CatalogCallOptions): ApiCall<Planet>
}

/**
 * A client of the catalog of planets, which has its own token and costs no credits. Errors of the catalog are `ProblemError`s.
 * A create or update is retried only if nothing has changed.
 *
 * @example
 * const catalog = new CatalogClient({ baseUrl: 'https://catalog.example.com', token })
 * const planet = await catalog.planets.create({ name: 'Aurora' })
 */
export class CatalogClient {
  /** Creates and updates planets. */
  readonly planets: Planets
  /** Creates planets or satellites. */
  readonly celestialBodies: CelestialBodies
  readonly #transport: ClientTransport

  /**
   * Creates a client of the catalog. Sends nothing before the first call.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor({ token, ...options }: CatalogOptions) {
    if (typeof token !== 'function') assertToken(token, 'token')
    const auth = { token: typeof token === 'function' ? token : () => token }
    const { client, defaults } = resolveOptions({ ...options, auth })
    const limiter = new LocalLimiter({ ...organizationLimits, inFlight: Infinity, perMinute: Infinity })
    const own = { ...client, bodyFormat: catalogFormat, limiter }
    const transport = new ClientTransport(own, defaults)
    this.#transport = transport
    this.planets = {
      create: (planet, options) => new ApiCall(transport.request(planetsCreate, planet, options)),
      update: (planetId, planet, options) =>
        new ApiCall(transport.request(planetsUpdate, planet, options, planetId)),
    }
    this.celestialBodies = {
      create: (body, options) => new ApiCall(transport.request(celestialBodiesCreate, body, options)),
    }
  }

  /** Ends all pending calls with a `ClosedError`, and refuses new ones. Resolves when they have ended. */
  close(): Promise<void> {
    return this.#transport.close()
  }
}

/**
 * The catalog answered with a problem, its error format. Fields that the service does not require may be absent.
 *
 * @example
 * if (error instanceof ProblemError) console.error(error.title, error.detail)
 */
export class ProblemError extends ApiError {
  /** The type of the problem, like a URL. */
  declare readonly type?: string
  /** The problem in a few words. */
  declare readonly title?: string
  /** Details of this occurrence. */
  declare readonly detail?: string

  /** @internal */
  constructor(details: ApiErrorDetails, problem: Problem) {
    super(details)
    Object.assign(this, problem)
  }
}

nameClasses({ ProblemError })

/** How the catalog differs from the search: ids that exceed a number, and errors that are problems. */
const catalogFormat: BodyFormat = {
  accept: 'application/json, application/problem+json',
  parse: parseCatalogJson,
  parseOwn: parseCatalogJson,
  stringify: writeJson,
  readError: (body) => {
    const problem = readProblem(body)
    if (problem === null) return null
    const message = [problem.title, problem.detail].filter((text) => text !== undefined).join(': ')
    return { message, toError: (details) => new ProblemError(details, problem) }
  },
}
