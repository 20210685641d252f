import { catalogue } from '../faults/catalogue.ts'
import { checkFaults } from '../faults/check-faults.ts'

checkFaults(catalogue.filter(({ isInRealTime }) => isInRealTime))
