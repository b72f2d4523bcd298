// The one list of command families. A new command file adds its function here.
#pragma once

#include <array>
#include <span>

#include "commands/registry.h"

namespace mayfly::commands {

std::span<const CommandRow> AggregateCommands();
std::span<const CommandRow> BuildInfoCommands();
std::span<const CommandRow> BulkWriteCommands();
std::span<const CommandRow> CappedCopyCommands();
std::span<const CommandRow> ClusterParameterCommands();
std::span<const CommandRow> CollModCommands();
std::span<const CommandRow> CompactCommands();
std::span<const CommandRow> ConnectionCommands();
std::span<const CommandRow> ConnectionPoolCommands();
std::span<const CommandRow> CountCommands();
std::span<const CommandRow> CreateCommands();
std::span<const CommandRow> CurrentOpCommands();
std::span<const CommandRow> CursorCommands();
std::span<const CommandRow> DbHashCommands();
std::span<const CommandRow> DefaultConcernCommands();
std::span<const CommandRow> EncryptionCommands();
std::span<const CommandRow> ExpiryCommands();
std::span<const CommandRow> ExplainCommands();
std::span<const CommandRow> FeatureVersionCommands();
std::span<const CommandRow> FindAndModifyCommands();
std::span<const CommandRow> FindCommands();
std::span<const CommandRow> FsyncCommands();
std::span<const CommandRow> GetCmdLineOptsCommands();
std::span<const CommandRow> GetLogCommands();
std::span<const CommandRow> HelloCommands();
std::span<const CommandRow> HostInfoCommands();
std::span<const CommandRow> IndexCommitQuorumCommands();
std::span<const CommandRow> IndexCommands();
std::span<const CommandRow> InsertCommands();
std::span<const CommandRow> KillSessionsCommands();
std::span<const CommandRow> ListCommands();
std::span<const CommandRow> ListCommandsCommands();
std::span<const CommandRow> LogRotateCommands();
std::span<const CommandRow> ParameterCommands();
std::span<const CommandRow> PingCommands();
std::span<const CommandRow> PlanCacheCommands();
std::span<const CommandRow> ProfileCommands();
std::span<const CommandRow> RenameCommands();
std::span<const CommandRow> ReplicaSetCommands();
std::span<const CommandRow> ServerStatusCommands();
std::span<const CommandRow> SessionCommands();
std::span<const CommandRow> ShutdownCommands();
std::span<const CommandRow> StatisticsCommands();
std::span<const CommandRow> TimeToLiveCommands();
std::span<const CommandRow> TopCommands();
std::span<const CommandRow> TransactionCommands();
std::span<const CommandRow> TtlStatusCommands();
std::span<const CommandRow> UnsupportedCommands();
std::span<const CommandRow> UpdateCommands();
std::span<const CommandRow> UserCommands();
std::span<const CommandRow> UserWriteBlockCommands();
std::span<const CommandRow> ValidateCommands();
std::span<const CommandRow> ValidateDbMetadataCommands();

inline constexpr std::array kFamilies = {
    Family{AggregateCommands},
    Family{BuildInfoCommands},
    Family{BulkWriteCommands},
    Family{CollModCommands},
    Family{ConnectionCommands},
    Family{ConnectionPoolCommands},
    Family{CountCommands},
    Family{CreateCommands},
    Family{CurrentOpCommands},
    Family{CursorCommands},
    Family{DefaultConcernCommands},
    Family{ExpiryCommands},
    Family{ExplainCommands},
    Family{FeatureVersionCommands},
    Family{FindAndModifyCommands},
    Family{FindCommands},
    Family{FsyncCommands},
    Family{GetCmdLineOptsCommands},
    Family{GetLogCommands},
    Family{HelloCommands},
    Family{HostInfoCommands},
    Family{IndexCommands},
    Family{InsertCommands},
    Family{KillSessionsCommands},
    Family{ListCommands},
    Family{ListCommandsCommands},
    Family{LogRotateCommands},
    Family{ParameterCommands},
    Family{PingCommands},
    Family{ProfileCommands},
    Family{ReplicaSetCommands},
    Family{ServerStatusCommands},
    Family{SessionCommands},
    Family{ShutdownCommands},
    Family{StatisticsCommands},
    Family{TimeToLiveCommands},
    Family{TopCommands},
    Family{TtlStatusCommands},
    Family{UnsupportedCommands},
    Family{UpdateCommands},
    Family{UserCommands},
    Family{ValidateCommands},
    Family{ValidateDbMetadataCommands},
    Family{CappedCopyCommands},
    Family{PlanCacheCommands},
    Family{DbHashCommands},
    Family{RenameCommands},
    Family{CompactCommands},
    Family{TransactionCommands},
    Family{UserWriteBlockCommands},
    Family{IndexCommitQuorumCommands},
    Family{EncryptionCommands},
    Family{ClusterParameterCommands},
};

}  // namespace mayfly::commands
